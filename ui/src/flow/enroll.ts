import { enrollSlot } from "./enrollslot";
import { naming } from "./outcomes";
import { attempt, type Run } from "./run";
import { bring, target, took } from "./settle";
import { type Field, fields, isOutcome, type Options, type Result } from "./types";

/**
 * enroll takes a card from the factory's values, or from whatever candidate it
 * holds, to the vault's, and gives the slot a key and a certificate. What is
 * done already is not done again.
 */
export function enroll(options: Options): Promise<Result> {
  return attempt("enroll", options, async (run) => {
    await run.begin();
    for (const field of fields) await enrollField(run, field);
    const result = await enrollSlot(run);
    if (run.device.enrolled_at && !touched(run)) return result;
    run.tell("enrolled");
    await run.backend.enrolled(run.serial, run.info.version);
    return { ...result, unchanged: false };
  });
}

/**
 * enrollField brings one secret to the vault's value. The PUK comes before the
 * PIN, so a PIN without tries is set by the PUK, which has just proved right.
 * One with tries left is not: somebody may know it.
 */
async function enrollField(run: Run, field: Field): Promise<void> {
  try {
    await bring(run, field);
    return;
  } catch (error) {
    if (field !== "pin" || !isOutcome(error, "pin_blocked", "retries_low") || error.kept) throw error;
  }
  run.tell("unblock", { field });
  const to = target(run, field);
  await naming("puk", run.agent.unblockPin(run.serial, run.proven("puk"), to.value));
  run.held.set(field, { kind: "superseded", value: "" });
  await took(run, field, to, true);
}

/** touched tells whether any secret was not the vault's when this began. */
function touched(run: Run): boolean {
  return fields.some((field) => run.held.get(field)?.kind !== "current");
}
