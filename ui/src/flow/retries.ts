import { named } from "./outcomes";
import { typedPIN, wrongTyped } from "./recover";
import { attempt } from "./run";
import { settle } from "./settle";
import type { Options, Result } from "./types";

/** The factory's totals. */
const tries = { pin: 3, puk: 3 };

/**
 * setRetries sets the retry counters anew with the management key and the PIN,
 * which the person types where the vault does not have it. PIN and PUK are then
 * the factory's, and enroll comes next.
 *
 * The vault is told first: cards before firmware 5.3 do not say that they hold
 * factory values, and after a lost answer nobody else would know.
 */
export function setRetries(options: Options, typed?: string): Promise<Result> {
  return attempt("set_retries", options, async (run) => {
    await run.begin();
    const key = await settle(run, "management_key");
    // Where the card has the factory's PIN again, an earlier attempt's answer was lost.
    const byHand = typed !== undefined && run.defaults.pin_default !== true;
    const pin = byHand ? await typedPIN(run, typed) : (await settle(run, "pin")).value;
    run.tell("retries");
    for (const field of ["puk", "pin"] as const) await run.observe(field, "factory");
    try {
      await run.agent.setRetries(run.serial, key.value, pin, tries);
    } catch (error) {
      throw named("pin", byHand ? wrongTyped(error) : error);
    }
    return run.result();
  });
}
