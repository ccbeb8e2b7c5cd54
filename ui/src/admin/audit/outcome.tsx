import { IconBan, IconCircleCheck, IconCircleX } from "@tabler/icons-react";
import type { ComponentType } from "react";
import { useText } from "../../text";
import type { Outcome as Value } from "./filters";
import classes from "./outcome.module.css";

const signs: Record<Value, ComponentType<{ size?: number; stroke?: number }>> = {
  success: IconCircleCheck,
  failure: IconCircleX,
  denied: IconBan,
};

/** Outcome is how an action ended: a word, a sign and a colour. What succeeded stays quiet. */
export function Outcome({ value }: { value: Value }) {
  const t = useText();
  const Sign = signs[value];
  return (
    <span className={classes.outcome} data-outcome={value}>
      <Sign size={16} stroke={1.8} aria-hidden />
      {t.audit.outcomes[value]}
    </span>
  );
}
