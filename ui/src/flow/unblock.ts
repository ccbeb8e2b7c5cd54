import { naming } from "./outcomes";
import type { Sealed } from "./ports";
import { aboutPIN, apply, changeTo, inPlace, rotation } from "./rotate";
import { attempt, type Run } from "./run";
import { settle, settleOpen } from "./settle";
import type { Options, Result } from "./types";

/**
 * unblock sets a new PIN with the PUK, whatever became of the present one. It
 * never tries a PIN, and the PUK only where enough tries are left.
 *
 * It uses the open rotation's pending PIN, or opens one. After a lost answer
 * the same is done again, which the card takes. With a chosen PIN, an open
 * rotation is carried through first, and the chosen one follows as a change.
 */
export function unblock(options: Options, chosen?: string): Promise<Result> {
  return attempt("unblock", options, async (run) => {
    await run.begin();
    await settleOpen(run, "management_key");
    const puk = await settle(run, "puk");
    const resumed = run.pending("pin") !== undefined;
    if (!resumed) {
      try {
        await rotation(run, chosen);
      } catch (error) {
        return unblockPresent(run, error, chosen, puk.value);
      }
    }
    await apply(run, chosen, async (next) => {
      run.tell("unblock", { field: "pin" });
      await run.agent.unblockPin(run.serial, puk.value, next);
    });
    if (chosen && resumed) await changeTo(run, chosen, run.proven("pin"));
    return run.result({ resumed });
  });
}

/**
 * unblockPresent: the server refused the chosen PIN, perhaps because it is the
 * present one already. The card gets the vault's present PIN, which is right in
 * any case, and then tells whether that is the chosen one.
 */
async function unblockPresent(run: Run, refusal: unknown, chosen: string | undefined, puk: Sealed): Promise<Result> {
  if (!aboutPIN(refusal) || !chosen) throw refusal;
  const present = run.current("pin");
  run.tell("unblock", { field: "pin" });
  await naming("puk", run.agent.unblockPin(run.serial, puk, present));
  await run.observe("pin", "current");
  if (!(await inPlace(run, refusal, chosen, present))) throw refusal;
  return run.result({ resumed: true });
}
