import { attempt } from "./run";
import type { Options, Result } from "./types";

/**
 * reset revokes the token's certificates, has the vault make fresh secrets, and
 * then destroys the card's keys. The server comes first: it keeps the former
 * values on record, so a stop in between loses nothing. Repeatable. takeBack: it
 * has no owner then.
 */
export function reset(options: Options, takeBack = false): Promise<Result> {
  return attempt("reset", options, async (run) => {
    run.tell("read");
    await run.agent.info(run.serial); // nothing is revoked for a token that is not there
    run.tell("reset_server");
    const recently = options.recently ?? ((task) => task());
    await recently(() => run.backend.reset(run.serial, options.reason, takeBack));
    run.tell("reset_card");
    await run.agent.reset(run.serial);
    return run.result();
  });
}
