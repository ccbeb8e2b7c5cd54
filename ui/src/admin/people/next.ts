import type { Schema } from "../../api/client";
import type { Duty } from "../../overview/mine";

/** Next is what to do next with an account. */
export type Next =
  /** out: the serial numbers of suspended tokens, which may be returned. */
  | { what: "leave"; tokens: number; certificates: number; out: readonly string[] }
  | { what: "takeBack"; out: readonly string[] }
  | { what: "disabled" }
  | { what: "unlock"; until: string }
  /** invited: when they were last, and the link has run out; null: never. */
  | { what: "invite"; invited: string | null }
  | { what: "invited"; at: string }
  | { what: "assign" }
  | { what: "token"; duty: Duty }
  | { what: "nothing"; until: string | undefined };

type Facts = {
  user: Pick<Schema<"User">, "is_active" | "locked_until" | "waiting">;
  tokens: readonly Schema<"HWKey">[];
  /** Issued, and not expired. */
  certificates: readonly Pick<Schema<"Certificate">, "not_after">[];
  /** What is due about the tokens, the most pressing first. */
  duties: readonly Duty[];
  /** When the person was invited last; null: never. */
  invited: string | null;
};

/** How long an invitation's link can be used. */
const valid = 24 * 3_600_000;
const kept = new Set<Schema<"HWKey">["status"]>(["assigned", "active", "suspended"]);

/** nextOf proposes one thing: whether the person gets in at all comes before the tokens. */
export function nextOf({ user, tokens, certificates, duties, invited }: Facts, now = Date.now()): Next {
  if (!user.is_active) {
    const used = tokens.filter((k) => k.status === "assigned" || k.status === "active").length;
    const out = tokens.filter((k) => k.status === "suspended").map((k) => k.serial);
    if (used + certificates.length > 0) return { what: "leave", tokens: used, certificates: certificates.length, out };
    return out.length > 0 ? { what: "takeBack", out } : { what: "disabled" };
  }
  if (user.locked_until && Date.parse(user.locked_until) > now) return { what: "unlock", until: user.locked_until };
  const open = invited !== null && Date.parse(invited) + valid > now;
  if (user.waiting && !open) return { what: "invite", invited };
  if (!tokens.some((k) => kept.has(k.status))) return { what: "assign" };
  const [duty] = duties;
  if (duty) return { what: "token", duty };
  if (user.waiting && invited) return { what: "invited", at: invited };
  return { what: "nothing", until: certificates.map((c) => c.not_after).sort()[0] };
}
