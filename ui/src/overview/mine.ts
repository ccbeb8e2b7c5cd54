import type { Schema } from "../api/client";
import { certificateState } from "../parts/certificate-state";
import { factory, halfReset, halfSetUp, interrupted, neverChosen, type Seen } from "../token/next";
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
  | "owner"
>;

/** Duty is something that a person has to do about an own token. */
export type Duty =
  | { kind: "setUp" | "half" | "halfReset" | "rotation" | "ownPin" | "bare"; token: Token }
  | { kind: Blocked | "factory" | "suspended" | "lost" | "retired"; token: Token }
  | { kind: "ends"; token: Token; certificate: Certificate; days: number }
  | { kind: "begun" | "missing" | "expired" | "revoked"; token: Token; certificate: Pick<Ended, "slot"> };

type Blocked = "bothBlocked" | "pinBlocked" | "pinLow" | "pukBlocked";

const kinds: Duty["kind"][] = [
  ...(["bothBlocked", "pinBlocked", "factory", "revoked", "expired", "missing", "pinLow"] as const),
  ...(["rotation", "halfReset", "half", "begun", "pukBlocked", "ends", "setUp", "ownPin", "bare"] as const),
  ...(["suspended", "lost", "retired"] as const),
];

/** A token in one of these is one's own to use, now or again. */
const kept = new Set<Token["status"]>(["assigned", "active", "suspended"]);

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
  const any = tokens.some((token) => kept.has(token.status));
  const out = tokens.flatMap((token): Duty[] => {
    const { status } = token;
    if (status === "suspended") return [{ kind: status, token }];
    // Of a token that is gone nothing is to be done, as long as there is another one.
    if (status === "lost" || status === "retired") return any ? [] : [{ kind: status, token }];
    if (status === "in_stock") return [];
    const seen = cards.get(token.serial);
    const card = troubles(seen).map((kind): Duty => ({ kind, token }));
    // What the token's page begins with, too, whatever else is left to do.
    const first = card.find((d) => d.kind === "bothBlocked" || (d.kind === "factory" && token.enrolled_at !== null));
    if (first) return [first];
    if (token.secrets.rotation_pending) return [{ kind: "rotation", token }];
    const slots = seen
      ? slotViews(
          all.filter((c) => c.hwkey_serial === token.serial),
          seen.card,
          now,
          seen.at,
        )
      : slotViews(token.certificates, undefined, now);
    if (token.enrolled_at === null) {
      if (seen && halfReset(token, seen, slots)) return [{ kind: "halfReset", token }];
      const half = seen ? halfSetUp(seen, slots) : token.certificates.length > 0;
      return [{ kind: half ? "half" : "setUp", token }];
    }
    const begun = interrupted(slots).flatMap((a): Duty[] =>
      a.slot ? [{ kind: "begun", token, certificate: { slot: a.slot } }] : [],
    );
    const missing = slots.flatMap((s): Duty[] =>
      s.missing ? [{ kind: "missing", token, certificate: { slot: s.slot } }] : [],
    );
    const done = (slot: string) => begun.every((d) => !("certificate" in d) || d.certificate.slot !== slot);
    const over = ended(token, all, now).filter((d) => done(d.certificate.slot));
    if (token.certificates.length === 0 && over.length === 0 && begun.length === 0) {
      return [...card, { kind: "bare", token }];
    }
    const ending = token.certificates.flatMap((certificate): Duty[] =>
      certificateState(certificate, now) === "expiring" && done(certificate.slot)
        ? [{ kind: "ends", token, certificate, days: daysUntil(certificate.not_after, now) }]
        : [],
    );
    const ownPin: Duty[] = neverChosen(token) ? [{ kind: "ownPin", token }] : [];
    return [...card, ...over, ...begun, ...missing, ...ending, ...ownPin];
  });
  return out.sort((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind) || days(a) - days(b));
}

/** troubles tells what is wrong with the secrets of a plugged-in card. Before the set-up, factory secrets are as they should be. */
function troubles(seen: Seen | undefined): (Blocked | "factory")[] {
  if (!seen) return [];
  const { pin_retries: pin, puk_retries: puk } = seen.card;
  if (pin === 0 && puk === 0) return ["bothBlocked"];
  if (factory(seen.defaults).length > 0) return ["factory"];
  return [
    ...(pin === 0 ? ["pinBlocked" as const] : pin === 1 ? ["pinLow" as const] : []),
    ...(puk === 0 ? ["pukBlocked" as const] : []),
  ];
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
