import type { Kind, Stage } from "./types";

const table: Record<Kind, readonly Stage[]> = {
  enroll: ["connect", "management_key", "puk", "pin", "key", "sign", "import", "ready"],
  change_pin: ["connect", "pin", "ready"],
  unblock: ["connect", "puk", "pin", "ready"],
  renew: ["connect", "management_key", "pin", "key", "sign", "import", "ready"],
  reset: ["server", "card", "ready"],
  recover: ["connect", "pin", "ready"],
  set_retries: ["connect", "management_key", "pin", "retries", "ready"],
};

/** steps gives what a stepper shows of a flow, in order. Every event of the flow names one of these as its stage. */
export function steps(kind: Kind): readonly Stage[] {
  return table[kind];
}
