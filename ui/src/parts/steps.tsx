import { VisuallyHidden } from "@mantine/core";
import { IconAlertTriangle, IconCheck } from "@tabler/icons-react";
import { useText } from "../text";
import classes from "./steps.module.css";

/** StepShown is a step; note says how far it is. */
export type StepShown = { name: string; how: "done" | "now" | "later" | "failed"; note?: string | null };

type Props = {
  label: string;
  steps: readonly StepShown[];
  /** One below the other, instead of in a row. */
  column?: boolean;
};

/** Steps lists steps, what is done and where it is. */
export function Steps({ label, steps, column = false }: Props) {
  const words = useText().common.steps;
  return (
    <ol className={`${classes.steps} ${column ? classes.column : ""}`} aria-label={label}>
      {steps.map(({ name, how, note }, i) => (
        <li
          key={name}
          className={`${classes.step} ${classes[how] ?? ""}`}
          aria-current={how === "now" ? "step" : undefined}
        >
          <span className={classes.mark} aria-hidden="true">
            {how === "done" ? (
              <IconCheck size={13} stroke={3} />
            ) : how === "failed" ? (
              <IconAlertTriangle size={12} stroke={2.5} />
            ) : (
              i + 1
            )}
          </span>
          <span>
            {name}
            {how === "done" || how === "failed" ? <VisuallyHidden>, {words[how]}</VisuallyHidden> : null}
            {note ? <span className={`${classes.note} numbers`}>{note}</span> : null}
          </span>
        </li>
      ))}
    </ol>
  );
}
