import { type Deed, storyOf } from "../admin/audit/fold";
import { storyWords } from "../admin/audit/story";
import type { Schema } from "../api/client";
import type { Catalogue } from "../text";

type Reasons = Record<string, { name: string }>;

/** reasonOf is why something was done to a token: that of a revocation in words, any other as the person typed it. */
export function reasonOf(e: Pick<Schema<"AuditEntry">, "action" | "reason">, reasons: Reasons): string {
  const known = e.action.startsWith("certificate.") && Object.hasOwn(reasons, e.reason);
  return (known ? reasons[e.reason]?.name : undefined) ?? e.reason;
}

/** stepOf is what an entry of a token's history says, in words that its owner knows, too. */
export function stepOf(e: Pick<Schema<"AuditEntry">, "action" | "details">, t: Catalogue): string {
  const [, slot] = /, slot (9[acde])\b/.exec(e.details) ?? [];
  const named = t.tokens.events[e.action] ?? e.action;
  return e.action.startsWith("certificate.") && slot ? `${named} · ${slot}` : named;
}

/** deedOf is what several entries of it amount to, in the words of the audit log. */
export function deedOf(deed: Deed, t: Catalogue): string {
  const { what, main } = storyOf(deed);
  return what === "same" || what === "main" || what === "setUp" ? stepOf(main, t) : storyWords(t, deed);
}
