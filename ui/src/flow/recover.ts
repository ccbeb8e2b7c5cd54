import { seal } from "../agent/seal";
import { naming } from "./outcomes";
import type { Sealed } from "./ports";
import { aboutPIN, apply, changeTo, rotation } from "./rotate";
import { attempt, type Run } from "./run";
import { change, commit, settleOpen } from "./settle";
import { type Options, Outcome, type Result } from "./types";

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
    const pending = run.pending("pin");
    let held = await proveTyped(run, typed, pending);
    if (pending) {
      if (held !== pending) await apply(run, undefined, (next) => change(run, "pin", held, next));
      else await commit(run, "pin");
      held = run.proven("pin");
      if (chosen) await changeTo(run, chosen, held);
      return run.result({ resumed: true });
    }
    try {
      await rotation(run, chosen);
    } catch (error) {
      await onRecord(run, error, chosen, held);
      return run.result();
    }
    await apply(run, chosen, (next) => change(run, "pin", held, next));
    return run.result();
  });
}

/**
 * proveTyped has the agent try the typed PIN, then another if there is one,
 * which it does only while enough tries are left. It gives the one that fits.
 */
export async function proveTyped(run: Run, typed: string, second?: Sealed): Promise<Sealed> {
  const list = [await seal(run.agentKey, run.serial, "pin", typed), ...(second ? [second] : [])];
  run.tell("probe", { field: "pin" });
  const { match, retries_left } = await naming("pin", run.agent.probe(run.serial, "pin", list));
  const held = match === null ? undefined : list[match];
  if (held) return held;
  throw new Outcome("wrong_pin", { field: "pin", ways: ["type_pin", "unblock", "reset"], retriesLeft: retries_left });
}

/**
 * onRecord: the server refused the chosen PIN (refusal), perhaps because it is
 * the one on record. Then the card gets that one, and tells whether it is.
 */
async function onRecord(run: Run, refusal: unknown, chosen: string | undefined, held: Sealed): Promise<void> {
  if (!aboutPIN(refusal) || !chosen || !/^\d{6,8}$/.test(chosen) || chosen === "123456") throw refusal;
  const present = run.current("pin");
  await naming("pin", change(run, "pin", held, present));
  await run.backend.observe(run.serial, "pin", "current");
  const same = await seal(run.agentKey, run.serial, "pin", chosen);
  const { match } = await naming("pin", run.agent.probe(run.serial, "pin", [same, present]));
  if (match !== 0) throw refusal;
}
