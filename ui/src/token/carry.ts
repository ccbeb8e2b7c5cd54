import {
  changePIN,
  type Event,
  enroll,
  type Options,
  type Result,
  recoverWithPIN,
  renew,
  reset,
  setRetries,
  unblock,
} from "../flow";
import { type Shown, shownOf } from "./activity";
import type { Request } from "./next";
import type { SlotName, SlotView } from "./slots";

/** Inputs are what the person typed and chose. They live as long as the dialog. */
export type Inputs = {
  pin: string;
  pinAgain: string;
  /** The PIN that the card has now, for a recovery. */
  typed: string;
  reason: string;
  slot: SlotName;
  /** Undefined: as the slot demands. */
  keepKey: boolean | undefined;
  confirm: string;
};

/** Progress is an event of the engine, under the stage that the stepper shows. */
export type Progress = { event: Event; shown: Shown };

type Job = {
  request: Request;
  inputs: Inputs;
  slots: readonly SlotView[];
  options: Omit<Options, "progress" | "plan">;
  /** The slots that a set-up fills. */
  plan: readonly SlotName[];
  tell: (progress: Progress) => void;
};

/** carryOut runs the flow or flows that a request stands for. */
export async function carryOut({ request, inputs, slots, options, plan, tell }: Job): Promise<Result> {
  const plain: Options = { ...options, progress: (event) => tell({ event, shown: event.stage }) };
  switch (request.what) {
    case "setup":
      return setUp(options, plan, request.pinLater ? undefined : inputs.pin, tell);
    case "change_pin":
      return changePIN(plain, inputs.pin);
    case "unblock":
      return unblock(plain, inputs.pin);
    case "renew":
      return renew({ ...plain, slot: request.slot ?? inputs.slot }, inputs.keepKey);
    case "certificate": {
      // A slot that holds a certificate of ours gets the next one; another gets its first.
      const held = slots.find((s) => s.slot === inputs.slot);
      const ours = held?.recorded && held.onCard;
      return ours ? renew({ ...plain, slot: inputs.slot }, inputs.keepKey) : enroll({ ...plain, slot: inputs.slot });
    }
    case "reset":
      return reset(plain);
    case "take_back":
      return reset(plain, true);
    case "recover":
      return recoverWithPIN(plain, inputs.typed, inputs.pin);
    case "set_retries":
      return setRetries(plain, inputs.typed || undefined);
  }
}

/**
 * setUp enrols the slots of the plan with secrets that nobody knows, and then sets the PIN that the person chose, if
 * that is done here.
 */
async function setUp(
  options: Job["options"],
  plan: readonly SlotName[],
  pin: string | undefined,
  tell: Job["tell"],
): Promise<Result> {
  const result = await enroll({
    ...options,
    plan,
    progress: (event) => tell({ event, shown: shownOf(event, plan, pin === undefined) }),
  });
  if (pin === undefined) return result;
  await changePIN({ ...options, progress: (event) => tell({ event, shown: "your_pin" }) }, pin);
  return result;
}
