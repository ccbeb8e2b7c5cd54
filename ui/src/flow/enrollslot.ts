import { isProblem } from "../api/problem";
import { keyAlgorithm } from "./otherkey";
import type { Run } from "./run";
import {
  type Csr,
  confirm,
  holding,
  issue,
  live,
  type Mode,
  mayOverwrite,
  readSlot,
  ready,
  request,
  type SlotState,
  type Subject,
} from "./slot";
import type { Result } from "./types";

/**
 * enrollSlot gives the slot a key and a certificate.
 *
 *	slot holds                                   then
 *	our certificate, but of another key          keep the key, as if there were no certificate: a renewal died after its making
 *	our live certificate, confirmed              nothing is left to do
 *	our live certificate, not confirmed          keep the key: an attempt died after the import
 *	a key that was compromised                   new key; in 9d after asking
 *	an attested key of the wanted type, no certificate   keep the key: an attempt died after its making
 *	our certificate, revoked or expired          new key; in 9d after asking
 *	another certificate, another or an imported key   new key after asking
 *	nothing                                      new key
 */
export async function enrollSlot(run: Run): Promise<Result> {
  const slot = await readSlot(run);
  const { present, otherKey } = slot;
  if (live(present) && present.installed_at && !otherKey) return { ...holding(run, present), unchanged: true };
  const subject = await ready(run, slot);
  let mode = await modeFor(run, slot);
  let csr = await firstRequest(run, mode, subject);
  if (mode === "reuse" && (!slot.onCard || otherKey) && !csr.attestation?.length) {
    // The key was not made on the card, so it is no earlier attempt's, and somebody may hold a copy.
    await mayOverwrite(run, "imported_key");
    mode = "overwrite";
    csr = await request(run, mode, subject);
  }
  if (live(present) && csr.public_key_sha256 === present.public_key_sha256) {
    return { ...(await confirm(run, present)), resumed: true };
  }
  return { ...(await issue(run, csr)), resumed: mode === "reuse" };
}

async function modeFor(run: Run, slot: SlotState): Promise<Mode> {
  // A certificate of another key says nothing about the one that is there.
  const present = slot.otherKey ? undefined : slot.present;
  if (live(present)) return "reuse";
  if (slot.onCard && !slot.present) await mayOverwrite(run, "foreign");
  else if (present && run.slot === "9d") await mayOverwrite(run, "decryption_ended");
  else if (present) return "overwrite";
  else if (run.compromised && run.slot === "9d") await mayOverwrite(run, "decryption_ended");
  else if (run.compromised) return "overwrite";
  else if (slot.keyAlgorithm === keyAlgorithm(run.wanted.type) && fits(run, slot)) return "reuse";
  else if (slot.keyAlgorithm) await mayOverwrite(run, "other_key");
  else return "new";
  return "overwrite";
}

/** fits tells whether the slot's key has the policies that its profile wants, as far as the card tells. */
function fits({ wanted: { pinPolicy, touchPolicy } }: Run, { policies: { pin, touch } }: SlotState): boolean {
  return (!pinPolicy || (pin ?? pinPolicy) === pinPolicy) && (!touchPolicy || (touch ?? touchPolicy) === touchPolicy);
}

/** firstRequest asks again where the slot holds what the card does not show as key or certificate. */
async function firstRequest(run: Run, mode: Mode, subject: Subject): Promise<Csr> {
  try {
    return await request(run, mode, subject);
  } catch (error) {
    if (mode !== "new" || !isProblem(error, "slot_occupied")) throw error;
  }
  await mayOverwrite(run, "unreadable");
  return request(run, "overwrite", subject);
}
