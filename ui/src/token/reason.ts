import type { Schema } from "../api/client";
import type { Catalogue } from "../text";

type Reasons = Record<string, { name: string }>;

/** reasonOf is why something was done to a token: that of a revocation in words, any other as the person typed it. */
export function reasonOf(e: Pick<Schema<"AuditEntry">, "action" | "reason">, reasons: Reasons): string {
  const known = e.action.startsWith("certificate.") && Object.hasOwn(reasons, e.reason);
  return (known ? reasons[e.reason]?.name : undefined) ?? e.reason;
}

/** whatOf adds to what happened to a token what its details say: the statuses before and after, the owner, the slot. */
export function whatOf(e: Pick<Schema<"AuditEntry">, "action" | "details">, t: Catalogue): string {
  const said = t.common.status;
  const name = (status: string | undefined) =>
    status && Object.hasOwn(said, status) ? said[status as keyof typeof said] : status;
  const [, from, to] = /^from (\w+) to (\w+)$/.exec(e.details) ?? [];
  if (e.action === "hwkey.status_changed" && from) return `: ${name(from)} → ${name(to)}`;
  const [, owner] = /^owner is now ([^;]+)/.exec(e.details) ?? [];
  if (e.action === "hwkey.assigned" && owner) return `: ${owner}`;
  const [, slot] = /, slot (9[acde])\b/.exec(e.details) ?? [];
  return e.action.startsWith("certificate.") && slot ? ` · ${slot}` : "";
}
