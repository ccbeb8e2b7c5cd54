import { VisuallyHidden } from "@mantine/core";
import { IconAlertTriangle, IconCheck } from "@tabler/icons-react";
import { useText } from "../text";
import classes from "./phases.module.css";

export type Shown = { name: string; how: "done" | "now" | "later" | "failed" };

/** Steps lists steps, what is done and where it is. */
export function Steps({ label, steps }: { label: string; steps: readonly Shown[] }) {
  const words = useText().backups.running;
  return (
    <ol className={classes.steps} aria-label={label}>
      {steps.map(({ name, how }, i) => (
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
            {how === "done" ? <VisuallyHidden>, {words.stepDone}</VisuallyHidden> : null}
            {how === "failed" ? <VisuallyHidden>, {words.stepFailed}</VisuallyHidden> : null}
          </span>
        </li>
      ))}
    </ol>
  );
}
