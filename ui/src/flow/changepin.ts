import { find } from "./probe";
import { apply, inPlace, rotation } from "./rotate";
import { attempt, type Run } from "./run";
import { change, commit, settle, settleOpen } from "./settle";
import type { Options, Result } from "./types";

/**
 * changePIN gives the card a new PIN: the chosen one, else a random one.
 *
 * An open rotation with a PIN is an earlier attempt. Without a chosen PIN it is
 * finished, and that is the change. With one it is settled first, for its PIN
 * may be another.
 */
export function changePIN(options: Options, chosen?: string): Promise<Result> {
  return attempt("change_pin", options, async (run) => {
    await run.begin();
    await settleOpen(run, "management_key", "puk");
    const resumed = run.pending("pin") !== undefined;
    if (resumed && !chosen) {
      await finishPIN(run);
      return run.result({ resumed });
    }
    const held = await settle(run, "pin");
    try {
      await rotation(run, chosen);
    } catch (error) {
      if (!(await inPlace(run, error, chosen, held.value))) throw error;
      return run.result({ resumed, unchanged: !resumed });
    }
    await apply(run, chosen, (next) => change(run, "pin", held.value, next));
    return run.result({ resumed });
  });
}

/** finishPIN carries an open rotation of the PIN through. */
async function finishPIN(run: Run): Promise<void> {
  const held = await find(run, "pin");
  if (held.kind === "pending") return commit(run, "pin");
  return apply(run, undefined, (next) => change(run, "pin", held.value, next));
}
