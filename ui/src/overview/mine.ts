import type { Schema } from "../api/client";
import { certificateState } from "../parts/certificate-state";

type Token = Schema<"HWKey">;
type Certificate = Schema<"ShortCertificate">;
/** Ended is a certificate of any status, as the list of certificates has it. */
export type Ended = Pick<
  Schema<"Certificate">,
  "hwkey_serial" | "slot" | "status" | "not_before" | "not_after" | "revoked_at" | "revocation_reason" | "installed_at"
>;

/** Duty is something that a person has to do about an own token. */
export type Duty =
  | { kind: "setUp" | "rotation" | "bare" | "suspended"; token: Token }
  | { kind: "ends"; token: Token; certificate: Certificate; days: number }
  | { kind: "unconfirmed"; token: Token; certificate: Certificate }
  | { kind: "expired" | "revoked"; token: Token; certificate: Pick<Ended, "slot"> };

const order = { revoked: 0, expired: 1, ends: 2, rotation: 3, setUp: 4, bare: 5, unconfirmed: 6, suspended: 7 };

/**
 * duties lists what the owner of tokens has to do, the most pressing first.
 * all: the owner's certificates of every status, the last issued first.
 */
export function duties(tokens: Token[], all: readonly Ended[], now = Date.now()): Duty[] {
  const out = tokens.flatMap((token): Duty[] => {
    if (token.status === "suspended") return [{ kind: "suspended", token }];
    if (token.status !== "assigned" && token.status !== "active") return [];
    if (token.secrets.rotation_pending) return [{ kind: "rotation", token }];
    if (token.enrolled_at === null) return [{ kind: "setUp", token }];
    const over = ended(token, all, now);
    if (token.certificates.length === 0 && over.length === 0) return [{ kind: "bare", token }];
    const living = token.certificates.flatMap((certificate): Duty[] => {
      switch (certificateState(certificate, now)) {
        case "expiring":
          return [{ kind: "ends", token, certificate, days: daysUntil(certificate.not_after, now) }];
        case "unconfirmed":
          return [{ kind: "unconfirmed", token, certificate }];
        default:
          return [];
      }
    });
    return [...over, ...living];
  });
  return out.sort((a, b) => order[a.kind] - order[b.kind] || days(a) - days(b));
}

const days = (duty: Duty) => (duty.kind === "ends" ? duty.days : 0);

/** Nobody wants these back. */
const meant = new Set<string | null>(["cessationOfOperation", "privilegeWithdrawn"]);

/**
 * ended gives a duty for each slot whose last certificate does not work any
 * more, other than what went before the token was last set up. Of signing in
 * (9a) that is said whatever the reason; another slot may be done with.
 */
function ended(token: Token, all: readonly Ended[], now: number): Duty[] {
  const slots = new Set(token.certificates.map((c) => c.slot));
  return all.flatMap((certificate): Duty[] => {
    const { slot } = certificate;
    if (certificate.hwkey_serial !== token.serial || slots.has(slot)) return [];
    slots.add(slot);
    const kind = certificateState(certificate, now);
    if (kind !== "expired" && kind !== "revoked") return [];
    const since = (kind === "revoked" && certificate.revoked_at) || certificate.not_after;
    if (Date.parse(since) < Date.parse(token.enrolled_at ?? "")) return [];
    if (kind === "revoked" && slot !== "9a" && meant.has(certificate.revocation_reason)) return [];
    return [{ kind, token, certificate: { slot } }];
  });
}

function daysUntil(at: string, now: number): number {
  return Math.floor((Date.parse(at) - now) / 86_400_000);
}

/** earliestEnd is until when all is well: the end of the certificate that ends first. */
export function earliestEnd(tokens: Token[]): string | undefined {
  return tokens
    .flatMap((t) => t.certificates.map((c) => c.not_after))
    .sort()
    .at(0);
}
