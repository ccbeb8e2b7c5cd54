import { seal } from "../agent/seal";
import { isProblem } from "../api/problem";
import { blocked, named, naming } from "./outcomes";
import type { Sealed } from "./ports";
import { aboutPIN, apply, changeTo, rotation } from "./rotate";
import { attempt, type Run } from "./run";
import { change, doubtful, settleOpen } from "./settle";
import { isOutcome, type Options, Outcome, type Result } from "./types";

/**
 * recoverWithPIN is a way out of `unknown` for a PIN: the person types the one
 * that the card has now, and the card gets the chosen one, which may be the
 * same, else a random one. The new PIN is pending in the vault before the card
 * sees it, as in every change.
 *
 * An open rotation with a PIN is an earlier attempt: it is carried through
 * first. The card may have taken its PIN already, so that one is tried second.
 */
export function recoverWithPIN(options: Options, typed: string, chosen?: string): Promise<Result> {
  return attempt("recover", options, async (run) => {
    await run.begin();
    await settleOpen(run, "management_key", "puk");
    const held = await typedPIN(run, typed);
    const resumed = run.pending("pin") !== undefined;
    if (!resumed) {
      try {
        await rotation(run, chosen);
      } catch (error) {
        await onRecord(run, error, chosen, held);
        return run.result();
      }
    }
    await apply(run, resumed ? undefined : chosen, async (next) => {
      try {
        await change(run, "pin", held, next);
      } catch (error) {
        const known = await holdsKnown(run, error, resumed ? next : undefined);
        if (known !== next) await change(run, "pin", known, next);
      }
    });
    if (resumed && chosen) await changeTo(run, chosen, run.proven("pin"));
    return run.result({ resumed });
  });
}

/**
 * typedPIN seals what the person typed. It is not tried beforehand: that would
 * take two tries, and who comes here may have but one left, and is told so.
 */
export async function typedPIN(run: Run, typed: string): Promise<Sealed> {
  const left = run.info.pin_retries;
  if (left === 0) throw blocked("pin");
  if (left === 1 && !(await run.ask({ kind: "another_try", field: "pin", last: true }))) {
    throw new Outcome("retries_low", { field: "pin", ways: ["type_pin", "unblock"], declined: true });
  }
  return seal(run.agentKey, run.serial, "pin", typed);
}

/** wrongTyped gives the card's refusal of the typed PIN its name. left: the tries, where more is known since. */
export function wrongTyped(error: unknown, left?: number | null): unknown {
  if (!isProblem(error, "wrong_pin")) return error;
  const told = left ?? error.document.retries_left;
  const retriesLeft = typeof told === "number" ? told : null;
  return new Outcome("wrong_pin", { field: "pin", ways: ["type_pin", "unblock", "reset"], retriesLeft, cause: error });
}

/**
 * holdsKnown gives the value on record that the card holds where it refused the
 * typed PIN because an earlier attempt's answer was lost: the pending PIN, or
 * the present one, unless the vault has seen that it is wrong.
 */
async function holdsKnown(run: Run, refusal: unknown, pending?: Sealed): Promise<Sealed> {
  const known = pending ?? (doubtful(run, "pin") ? undefined : run.current("pin"));
  if (!known || !isProblem(refusal, "wrong_pin")) throw wrongTyped(refusal);
  run.tell("probe", { field: "pin" });
  try {
    const { match, retries_left } = await run.agent.probe(run.serial, "pin", [known]);
    if (match === 0) return known;
    throw wrongTyped(refusal, retries_left);
  } catch (error) {
    throw isProblem(error, "retries_low", "pin_blocked") ? wrongTyped(refusal) : error;
  }
}

/**
 * onRecord: the server refused the chosen PIN (refusal), perhaps because it is
 * the one on record. Then the card gets that one, and tells whether it is.
 */
async function onRecord(run: Run, refusal: unknown, chosen: string | undefined, held: Sealed): Promise<void> {
  if (!aboutPIN(refusal) || !chosen || !/^\d{6,8}$/.test(chosen) || chosen === "123456") throw refusal;
  const present = run.current("pin");
  // The vault is told first: after a lost answer nobody else would know that the card may hold it.
  await run.observe("pin", "current");
  try {
    await change(run, "pin", held, present);
  } catch (error) {
    if (!isProblem(error, "wrong_pin")) throw named("pin", error);
    try {
      await holdsKnown(run, error);
    } catch (wrong) {
      if (isOutcome(wrong, "wrong_pin")) await run.observe("pin", "none"); // what was said first is not so
      throw wrong;
    }
  }
  const same = await seal(run.agentKey, run.serial, "pin", chosen);
  const { match } = await naming("pin", run.agent.probe(run.serial, "pin", [same, present]));
  if (match !== 0) throw refusal;
}
