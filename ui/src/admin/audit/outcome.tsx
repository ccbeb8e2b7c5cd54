import { IconBan, IconCircleCheck, IconCircleX } from "@tabler/icons-react";
import type { ComponentType } from "react";
import { Status } from "../../parts/status";
import { useText } from "../../text";
import type { Outcome as Value } from "./filters";

const looks: Record<Value, { color: string; icon: ComponentType<{ size?: number; stroke?: number }> }> = {
  success: { color: "accent", icon: IconCircleCheck },
  failure: { color: "red", icon: IconCircleX },
  denied: { color: "orange", icon: IconBan },
};

/** Outcome is how an action ended: a word, a sign and a colour. */
export function Outcome({ value }: { value: Value }) {
  const t = useText();
  return <Status {...looks[value]}>{t.audit.outcomes[value]}</Status>;
}
