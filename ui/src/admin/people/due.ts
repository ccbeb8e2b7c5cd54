import type { Duty } from "../../overview/mine";
import { slotName } from "../../overview/minetasks";
import type { Catalogue } from "../../text";

/** dueWords say in short what is due about a token; empty: its status says it. */
export function dueWords(t: Catalogue, duty: Duty): string {
  const words = t.person.due;
  if (duty.kind === "ends") return words.ends(slotName(t, duty.certificate.slot), duty.days);
  if ("certificate" in duty) return words[duty.kind](slotName(t, duty.certificate.slot));
  return words[duty.kind];
}
