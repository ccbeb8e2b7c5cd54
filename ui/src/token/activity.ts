import { steps } from "../flow/stages";
import type { Event, Stage } from "../flow/types";
import type { Request } from "./next";
import type { Activity } from "./picture";
import type { SlotName, SlotView } from "./slots";

/**
 * Shown is a stage of the stepper: the engine's, a slot where a set-up fills several, and the person's own PIN at the
 * end of a set-up.
 */
export type Shown = Stage | "your_pin" | SlotName;

const kinds = {
  setup: "enroll",
  certificate: "enroll",
  renew: "renew",
  change_pin: "change_pin",
  unblock: "unblock",
  reset: "reset",
  take_back: "reset",
  recover: "recover",
  set_retries: "set_retries",
} as const;

/** What is done in each slot of a plan. */
const perSlot: readonly Shown[] = ["key", "sign", "import"];

/** stagesOf lists what the stepper shows of a flow, in order. plan: the slots that a set-up fills. */
export function stagesOf(
  { what, pinLater }: Pick<Request, "what" | "pinLater">,
  plan: readonly SlotName[] = [],
): readonly Shown[] {
  const list = steps(kinds[what]);
  if (what !== "setup") return list;
  const middle = plan.length > 1 ? [...list.filter((s) => !perSlot.includes(s)), ...plan] : list;
  return pinLater ? middle : [...middle.filter((s) => s !== "ready"), "your_pin", "ready"];
}

/** shownOf is the stage of a set-up's stepper at an event. */
export function shownOf({ stage, slot }: Event, plan: readonly SlotName[], pinLater = false): Shown {
  if (slot && plan.length > 1) return slot;
  return stage === "ready" && !pinLater ? "your_pin" : stage;
}

/** activityOf says which part of the drawn token moves at an event. */
export function activityOf(event: Event, slot: SlotName): Activity {
  const touch = event.touch ? { touch: true } : {};
  switch (event.step) {
    case "management_key":
    case "reset_card":
      return { part: "frame", ...touch };
    case "puk":
      return { part: "puk" };
    case "pin":
    case "unblock":
    case "rotation":
    case "refused":
    case "retries":
      return { part: "pin" };
    case "probe":
    case "settle":
      if (event.field === "pin" || event.field === "puk") return { part: event.field };
      return { part: event.field === "management_key" ? "frame" : "read" };
    case "key":
    case "request":
      return { part: "slot", slot, ...touch };
    case "sign":
    case "readiness":
    case "reset_server":
      return { part: "out", slot };
    case "import":
      return { part: "in", slot };
    case "installed":
      return { part: "slot", slot };
    case "enrolled":
      return { part: "done" };
    default:
      return { part: "read" };
  }
}

const onCard = new Set<Event["step"]>([
  "probe",
  "management_key",
  "puk",
  "pin",
  "unblock",
  "key",
  "request",
  "import",
  "retries",
  "reset_card",
]);

/** busyOnCard tells whether the agent may be changing the card at this event. */
export function busyOnCard(event: Event): boolean {
  return onCard.has(event.step);
}

/**
 * lit gives the slots as a flow has made them so far. The card itself is read
 * again when the flow is over.
 */
export function lit(
  views: readonly SlotView[],
  slot: SlotName,
  stages: readonly Shown[],
  at: Shown | null,
): readonly Pick<SlotView, "slot" | "light">[] {
  if (at === null) return views;
  const passed = (stage: Shown) => stages.includes(stage) && stages.indexOf(at) > stages.indexOf(stage);
  if (passed("card")) return views.map((v) => ({ slot: v.slot, light: "empty" }));
  const made = passed("import") ? "valid" : passed("key") ? "key" : null;
  return views.map((v) => {
    if (passed(v.slot)) return { slot: v.slot, light: "valid" };
    return made && v.slot === slot ? { slot, light: made } : v;
  });
}
