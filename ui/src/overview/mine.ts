import type { Schema } from "../api/client";
import { certificateState } from "../parts/certificate-state";

type Token = Schema<"HWKey">;
type Certificate = Schema<"ShortCertificate">;

/** Duty is something that a person has to do about an own token. */
export type Duty =
  | { kind: "setUp" | "rotation" | "bare" | "suspended"; token: Token }
  | { kind: "ends"; token: Token; certificate: Certificate; days: number }
  | { kind: "unconfirmed"; token: Token; certificate: Certificate };

const order = { ends: 0, rotation: 1, setUp: 2, bare: 3, unconfirmed: 4, suspended: 5 };

/** duties lists what the owner of tokens has to do, the most pressing first. */
export function duties(tokens: Token[], now = Date.now()): Duty[] {
  const out = tokens.flatMap((token): Duty[] => {
    if (token.status === "suspended") return [{ kind: "suspended", token }];
    if (token.status !== "assigned" && token.status !== "active") return [];
    if (token.secrets.rotation_pending) return [{ kind: "rotation", token }];
    if (token.enrolled_at === null) return [{ kind: "setUp", token }];
    if (token.certificates.length === 0) return [{ kind: "bare", token }];
    return token.certificates.flatMap((certificate): Duty[] => {
      switch (certificateState(certificate, now)) {
        case "expiring":
          return [{ kind: "ends", token, certificate, days: daysUntil(certificate.not_after, now) }];
        case "unconfirmed":
          return [{ kind: "unconfirmed", token, certificate }];
        default:
          return [];
      }
    });
  });
  return out.sort((a, b) => order[a.kind] - order[b.kind] || days(a) - days(b));
}

const days = (duty: Duty) => (duty.kind === "ends" ? duty.days : 0);

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
