import { enrollSlot } from "./enrollslot";
import { naming } from "./outcomes";
import { find } from "./probe";
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
    const result = await enrollSlots(run);
    if (run.device.enrolled_at && !touched(run)) return result;
    run.tell("enrolled");
    await run.backend.enrolled(run.serial, run.info.version);
    return { ...result, unchanged: false };
  });
}

/** enrollSlots fills the slot, or those of the plan. What 9d holds is kept, and the rest is done. */
async function enrollSlots(run: Run): Promise<Result> {
  const { plan } = run.options;
  if (!plan?.length) return enrollSlot(run);
  const all = run.result({ unchanged: true });
  run.planned = true;
  for (const slot of plan) {
    run.slot = slot;
    try {
      const one = await enrollSlot(run);
      all.resumed ||= one.resumed;
      all.unchanged &&= one.unchanged;
      all.certificates.push(...one.certificates);
    } catch (error) {
      if (slot !== "9d" || !isOutcome(error, "slot_occupied")) throw error;
      all.kept.push(slot);
    }
  }
  run.planned = false;
  return all;
}

/**
 * enrollField brings one secret to the vault's value. The PUK comes before the
 * PIN, so a PIN without tries is set by the PUK, which has just proved right.
 * One with tries left is not: somebody may know it.
 */
async function enrollField(run: Run, field: Field): Promise<void> {
  if (field === "management_key" && run.info.management_key_under_pin) return takeOver(run);
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

/**
 * takeOver replaces a management key that another program keeps on the card
 * under the PIN, which is one of the vault's or the factory's by now: a person
 * who set another one enters it first (recoverWithPIN).
 */
async function takeOver(run: Run): Promise<void> {
  const pin = await find(run, "pin", "management_key");
  const to = target(run, "management_key");
  run.tell("management_key", { field: "management_key" });
  await naming("pin", run.agent.takeManagementKey(run.serial, pin.value, to.value));
  await took(run, "management_key", to, true);
}

/** touched tells whether any secret was not the vault's when this began. */
function touched(run: Run): boolean {
  return fields.some((field) => run.held.get(field)?.kind !== "current");
}
