import type { Certificate } from "./queries";

/**
 * leftToRevoke says what can still be revoked: a valid certificate for any reason, and after its end the key, as
 * compromised, unless that is on record.
 */
export function leftToRevoke({
  status,
  revocation_reason,
}: Pick<Certificate, "status" | "revocation_reason">): "certificate" | "key" | null {
  if (status === "issued") return "certificate";
  return revocation_reason === "keyCompromise" ? null : "key";
}
