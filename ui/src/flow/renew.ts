import { keyAlgorithm } from "./otherkey";
import { notEnrolled } from "./outcomes";
import { attempt, type Run } from "./run";
import { settle, settleOpen } from "./settle";
import type { Certificate, SlotState, Subject } from "./slot";
import { confirm, install, issue, keyCompromised, live, mayOverwrite, readSlot, ready, request, sign } from "./slot";
import { type Options, Outcome, type Result } from "./types";

/**
 * renew gives the slot a new certificate: for a new key, or for the present one
 * with keepKey, as always in 9d unless told otherwise, since that key decrypts
 * what was encrypted for it. The former certificate stays valid until the new one is on the
 * card; then the server revokes it as superseded.
 *
 * An attempt that died after its key was made is finished first, with that key,
 * and that is the renewal.
 */
export function renew(options: Options, keepKey?: boolean): Promise<Result> {
  return attempt("renew", options, async (run) => {
    await run.begin();
    await settleOpen(run, "puk");
    for (const field of ["management_key", "pin"] as const) {
      const held = await settle(run, field);
      if (held.kind === "factory") throw notEnrolled(field);
    }
    const slot = await readSlot(run);
    if (!slot.present) throw notEnrolled();
    const subject = await ready(run, slot);
    const done = await finish(run, slot, slot.present, subject, keepKey);
    // Only the certificate's own key stays unasked: another may have been imported, and known to somebody else.
    return done ?? (await renewal(run, subject, keepKey ?? (run.slot === "9d" && !slot.otherKey)));
  });
}

/**
 * finish carries through what an earlier attempt left: a new key beside the
 * former certificate, or a certificate that was issued for the key now in the
 * slot, but is not on the card, or not confirmed.
 */
async function finish(
  run: Run,
  slot: SlotState,
  present: Certificate,
  subject: Subject,
  keepKey?: boolean,
): Promise<Result | null> {
  // An attempt that kept the key is not finished for whoever wants a new one.
  const kept = (c: Certificate) =>
    c.serial_number !== present.serial_number && c.public_key_sha256 === present.public_key_sha256;
  const left = slot.records.filter((c) => live(c) && !c.installed_at && !(keepKey === false && kept(c)));
  // A key of another kind would not be signed: the renewal makes one.
  const unfinished = slot.otherKey && slot.keyAlgorithm === keyAlgorithm(run.wanted.type) && !run.compromised;
  if (!left.length && !unfinished) return null;
  const csr = await request(run, "reuse", subject);
  const ours = left.find((c) => c.public_key_sha256 === csr.public_key_sha256);
  // Without an attestation the key is no earlier attempt's.
  if (!ours && !(unfinished && csr.attestation?.length)) return null;
  const held = ours?.serial_number === present.serial_number;
  const result = held ? await confirm(run, present) : await issue(run, csr);
  return { ...result, resumed: true };
}

async function renewal(run: Run, subject: Subject, keepKey: boolean): Promise<Result> {
  if (keepKey && run.compromised)
    throw new Outcome("not_ready", { reasons: [keyCompromised], ways: ["renew_new_key"] });
  if (!keepKey && run.slot === "9d") await mayOverwrite(run, "decryption");
  const csr = await request(run, keepKey ? "reuse" : "overwrite", subject);
  return install(run, await sign(run, csr, true));
}
