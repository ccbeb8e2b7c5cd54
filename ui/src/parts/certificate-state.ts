import { lifespan } from "./lifespan";

/** What tells how a certificate stands; the short form has no status. */
export type Dated = {
  not_before: string;
  not_after: string;
  installed_at: string | null;
  status?: "issued" | "revoked" | "expired";
};

/**
 * certificateState refines the server's status by what a person has to know:
 * that it ends soon, or that nobody confirmed it to be on the token.
 */
export function certificateState(
  certificate: Dated,
  now = Date.now(),
): "issued" | "expiring" | "unconfirmed" | "expired" | "revoked" {
  const { standing } = lifespan(certificate.not_before, certificate.not_after, certificate.status, now);
  if (standing === "revoked" || standing === "expired") return standing;
  if (certificate.installed_at === null) return "unconfirmed";
  return standing === "soon" ? "expiring" : "issued";
}
