import type { Field, Kind, Stage, Step } from "./types";

const table: Record<Kind, readonly Stage[]> = {
  enroll: ["connect", "management_key", "puk", "pin", "key", "sign", "import", "ready"],
  change_pin: ["connect", "pin", "ready"],
  unblock: ["connect", "puk", "pin", "ready"],
  renew: ["connect", "management_key", "pin", "key", "sign", "import", "ready"],
  reset: ["connect", "server", "card", "ready"],
  recover: ["connect", "pin", "ready"],
  set_retries: ["connect", "management_key", "pin", "retries", "ready"],
};

/** steps gives what a stepper shows of a flow, in order. Every event of the flow names one of these as its stage. */
export function steps(kind: Kind): readonly Stage[] {
  return table[kind];
}

const stages: Record<Exclude<Step, "probe" | "settle">, Stage> = {
  agent: "connect",
  read: "connect",
  rotation: "pin",
  refused: "pin",
  management_key: "management_key",
  puk: "puk",
  pin: "pin",
  unblock: "pin",
  readiness: "key",
  key: "key",
  request: "key",
  sign: "sign",
  import: "import",
  installed: "ready",
  enrolled: "ready",
  retries: "retries",
  reset_server: "server",
  reset_card: "card",
  done: "ready",
};

/** stageOf tells where a step stands in a flow's steps. A field that the flow only settles belongs to its beginning. */
export function stageOf(kind: Kind, step: Step, field?: Field): Stage {
  const stage = step === "probe" || step === "settle" ? field : stages[step];
  return stage && table[kind].includes(stage) ? stage : "connect";
}
