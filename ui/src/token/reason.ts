import type { Schema } from "../api/client";

type Reasons = Record<string, { name: string }>;

/** reasonOf is why something was done to a token: that of a revocation in words, any other as the person typed it. */
export function reasonOf(e: Pick<Schema<"AuditEntry">, "action" | "reason">, reasons: Reasons): string {
  const known = e.action.startsWith("certificate.") && Object.hasOwn(reasons, e.reason);
  return (known ? reasons[e.reason]?.name : undefined) ?? e.reason;
}
