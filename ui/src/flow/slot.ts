import type { AgentSchema } from "../agent/schema";
import type { Schema } from "../api/client";
import { isOtherKey, usualKeyType } from "./otherkey";
import type { KeyType, NewKey, PinPolicy, TouchPolicy } from "./ports";
import type { Run } from "./run";
import { Outcome, type OverwriteReason, type Result } from "./types";

/** Certificate is the server's record of one. */
export type Certificate = Schema<"Certificate">;

/** Csr is a request with the key's attestation. */
export type Csr = AgentSchema<"GenerateCSRResult">;

/** Subject is what a certificate will name. */
export type Subject = { common_name: string; email?: string };

/** SlotState is what card and server say about one slot. */
export type SlotState = {
  keyAlgorithm: string | null;
  /** The policies of the slot's key, as far as the card tells them. */
  policies: { pin: string | null; touch: string | null };
  onCard: AgentSchema<"Certificate"> | null;
  /** The server's, of this slot, newest first. */
  records: Certificate[];
  /** The record of the certificate on the card; undefined: none, or not ours. */
  present: Certificate | undefined;
  /** The certificate on the card is surely for another key than the slot's: a renewal stopped after it made the key. */
  otherKey: boolean;
  /** The SHA-256 of the slot's key, as far as the card tells it. */
  key: string | undefined;
};

/** live tells whether a record is neither revoked nor expired. */
export function live(c: Certificate | undefined): c is Certificate {
  return c?.status === "issued";
}

/** readSlot looks at the slot afresh: this attempt may have changed the card. */
export async function readSlot(run: Run): Promise<SlotState> {
  await run.readCard(run.slot);
  const all = await run.backend.deviceCertificates(run.serial);
  const found = run.info.slots.find((s) => s.slot === run.slot);
  const onCard = found?.certificate ?? null;
  const records = all.filter((c) => c.slot === run.slot);
  const key = found?.public_key_sha256 ?? onCard?.public_key_sha256;
  const present = onCard ? records.find((c) => c.serial_number === onCard.serial_number) : undefined;
  const policies = { pin: found?.pin_policy ?? null, touch: found?.touch_policy ?? null };
  const keyAlgorithm = found?.key_algorithm ?? null;
  return { keyAlgorithm, policies, onCard, records, present, otherKey: isOtherKey(found), key };
}

/** The reason that stands against the slot's present key alone. */
export const keyCompromised = "key_compromised";

/**
 * ready asks whether a CSR would be signed, before a key is made or lost, and
 * takes note whether the present one would not.
 */
export async function ready(run: Run, { key }: SlotState): Promise<Subject> {
  run.tell("readiness");
  const got = await run.backend.signingReadiness(run.serial, run.slot, key);
  const reasons = got.reasons ?? [];
  const others = reasons.filter((reason) => reason !== keyCompromised);
  run.compromised = others.length < reasons.length;
  if (others.length) throw new Outcome("not_ready", { reasons: others, ways: ["remove_obstacle"] });
  run.wanted = { type: got.key_type || usualKeyType, pinPolicy: got.pin_policy, touchPolicy: got.touch_policy };
  const { common_name, email } = got.subject;
  return email ? { common_name, email } : { common_name };
}

/** Mode says what is to become of the slot's key: made anew, kept, or replaced. */
export type Mode = "new" | "reuse" | "overwrite";

/** request makes a request, with a new key or the present one. */
export function request(run: Run, mode: Mode, subject: Subject): Promise<Csr> {
  run.tell(mode === "reuse" ? "request" : "key", { touch: true });
  return run.agent.generateCsr(run.serial, {
    slot: run.slot,
    pin: run.proven("pin"),
    managementKey: run.proven("management_key"),
    subject,
    overwrite: mode === "overwrite",
    reuseKey: mode === "reuse",
    ...(mode === "reuse" ? {} : { newKey: newKey(run) }),
  });
}

/** newKey names the type of the key only where it is another than every agent makes: older ones know no such member. */
function newKey({ wanted: { type, pinPolicy, touchPolicy } }: Run): NewKey {
  return {
    ...(type !== usualKeyType && { type: type as KeyType }),
    ...(pinPolicy && { pinPolicy: pinPolicy as PinPolicy }),
    ...(touchPolicy && { touchPolicy: touchPolicy as TouchPolicy }),
  };
}

/**
 * sign has a certificate issued. Without an attestation that counts, the server
 * demands of the person what it demands before a release of secrets.
 */
export function sign(run: Run, csr: Csr, renewal = false): Promise<Schema<"SignedCertificate">> {
  run.tell("sign");
  const { backend, serial, slot, options } = run;
  return run.registered(() => run.recently(() => backend.signCsr(serial, slot, csr, options.reason, renewal)));
}

/** issue has a request signed and puts the certificate on the card. */
export async function issue(run: Run, csr: Csr): Promise<Result> {
  return install(run, await sign(run, csr));
}

/** install stores a certificate beside its key. */
export async function install(run: Run, signed: Schema<"SignedCertificate">): Promise<Result> {
  run.tell("import");
  await run.agent.importCertificate(run.serial, {
    slot: run.slot,
    certificate: signed.certificate,
    managementKey: run.proven("management_key"),
    pin: run.proven("pin"),
  });
  return confirm(run, signed);
}

/** confirm says that the card holds the certificate. */
export async function confirm(run: Run, c: { serial_number: string; not_after: string }): Promise<Result> {
  run.tell("installed");
  await run.backend.installed(c.serial_number);
  return holding(run, c);
}

/** holding is the result of a flow that leaves a certificate in the slot. */
export function holding(run: Run, c: { serial_number: string; not_after: string }): Result {
  return run.result({ certificates: [{ slot: run.slot, serialNumber: c.serial_number, notAfter: c.not_after }] });
}

/**
 * mayOverwrite asks before something is lost that Keyward did not put there,
 * and before a decryption key goes: old messages need it.
 */
export async function mayOverwrite(run: Run, reason: OverwriteReason): Promise<void> {
  // Whoever loses the key of 9d loses the mail: only who names the slot is asked.
  const kept = run.planned && run.slot === "9d";
  if (!kept && (await run.ask({ kind: "overwrite", slot: run.slot, reason }))) return;
  throw new Outcome("slot_occupied", { slot: run.slot, ways: ["agree"] });
}
