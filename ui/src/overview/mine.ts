import type { Schema } from "../api/client";
import { certificateState } from "../parts/certificate-state";
import { halfSetUp, interrupted, neverChosen, type Seen } from "../token/next";
import { slotViews } from "../token/slots";

type Token = Schema<"HWKey">;
type Certificate = Schema<"ShortCertificate">;
/** Ended is a certificate of any status, as the list of certificates has it. */
export type Ended = Pick<
  Schema<"Certificate">,
  | "hwkey_serial"
  | "serial_number"
  | "common_name"
  | "slot"
  | "status"
  | "not_before"
  | "not_after"
  | "revoked_at"
  | "revocation_reason"
  | "installed_at"
>;

/** Duty is something that a person has to do about an own token. */
export type Duty =
  | { kind: "setUp" | "half" | "rotation" | "ownPin" | "bare" | "suspended"; token: Token }
  | { kind: "ends"; token: Token; certificate: Certificate; days: number }
  | { kind: "begun" | "expired" | "revoked"; token: Token; certificate: Pick<Ended, "slot"> };

const kinds = ["revoked", "expired", "rotation", "half", "begun", "ends", "setUp", "ownPin", "bare", "suspended"];

/**
 * duties lists what the owner of tokens has to do, the most pressing first.
 * all: the owner's certificates of every status, the last issued first.
 * cards: what those show that are plugged in, and were read.
 */
export function duties(
  tokens: Token[],
  all: readonly Ended[],
  cards: ReadonlyMap<string, Seen>,
  now = Date.now(),
): Duty[] {
  const out = tokens.flatMap((token): Duty[] => {
    if (token.status === "suspended") return [{ kind: "suspended", token }];
    if (token.status !== "assigned" && token.status !== "active") return [];
    if (token.secrets.rotation_pending) return [{ kind: "rotation", token }];
    const seen = cards.get(token.serial);
    const slots = seen
      ? slotViews(
          all.filter((c) => c.hwkey_serial === token.serial),
          seen.card,
          now,
        )
      : slotViews(token.certificates, undefined, now);
    if (token.enrolled_at === null) {
      const half = seen ? halfSetUp(seen, slots) : token.certificates.length > 0;
      return [{ kind: half ? "half" : "setUp", token }];
    }
    const begun = interrupted(slots).flatMap((a): Duty[] =>
      a.slot ? [{ kind: "begun", token, certificate: { slot: a.slot } }] : [],
    );
    const done = (slot: string) => begun.every((d) => !("certificate" in d) || d.certificate.slot !== slot);
    const over = ended(token, all, now).filter((d) => done(d.certificate.slot));
    if (token.certificates.length === 0 && over.length === 0 && begun.length === 0) return [{ kind: "bare", token }];
    const ending = token.certificates.flatMap((certificate): Duty[] =>
      certificateState(certificate, now) === "expiring" && done(certificate.slot)
        ? [{ kind: "ends", token, certificate, days: daysUntil(certificate.not_after, now) }]
        : [],
    );
    return [...over, ...begun, ...ending, ...(neverChosen(token) ? [{ kind: "ownPin" as const, token }] : [])];
  });
  return out.sort((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind) || days(a) - days(b));
}

const days = (duty: Duty) => (duty.kind === "ends" ? duty.days : 0);

type Over = { kind: "expired" | "revoked"; token: Token; certificate: Pick<Ended, "slot"> };

/** Nobody wants these back. */
const meant = new Set<string | null>(["cessationOfOperation", "privilegeWithdrawn"]);

/**
 * ended gives a duty for each slot whose last certificate does not work any
 * more, other than what went before the token was last set up. Of signing in
 * (9a) that is said whatever the reason; another slot may be done with.
 */
function ended(token: Token, all: readonly Ended[], now: number): Over[] {
  const slots = new Set(token.certificates.map((c) => c.slot));
  return all.flatMap((certificate): Over[] => {
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
