/** What tells how a certificate stands; the short form has no status. */
export type Dated = {
  not_after: string;
  installed_at: string | null;
  status?: "issued" | "revoked" | "expired";
};

/** From this many days before its end a certificate is to be renewed. */
export const soonDays = 30;

const dayMs = 86_400_000;

/** daysLeft counts whole days until a time; negative once it has passed. */
export function daysLeft(until: string, now = Date.now()): number {
  return Math.floor((new Date(until).getTime() - now) / dayMs);
}

/**
 * certificateState refines the server's status by what a person has to know:
 * that it ends soon, or that nobody confirmed it to be on the token.
 */
export function certificateState(
  certificate: Dated,
  now = Date.now(),
): "issued" | "expiring" | "unconfirmed" | "expired" | "revoked" {
  if (certificate.status === "revoked") return "revoked";
  if (certificate.status === "expired" || new Date(certificate.not_after).getTime() <= now) return "expired";
  if (certificate.installed_at === null) return "unconfirmed";
  return daysLeft(certificate.not_after, now) < soonDays ? "expiring" : "issued";
}
