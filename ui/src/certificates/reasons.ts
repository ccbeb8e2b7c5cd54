import type { Me } from "../session/hooks";

/** Those of RFC 5280 that the server takes, the common ones first. */
const reasons = [
  "unspecified",
  "keyCompromise",
  "superseded",
  "cessationOfOperation",
  "affiliationChanged",
  "privilegeWithdrawn",
  "cACompromise",
  "aACompromise",
] as const;

export type Reason = (typeof reasons)[number];

const plain: readonly Reason[] = ["unspecified", "keyCompromise", "superseded", "cessationOfOperation"];

/** reasonsFor are those that a person of a role can know: who uses a token, who answers for people, or for the CA. */
export function reasonsFor(role: Me["role"]): readonly Reason[] {
  if (role === "user") return plain;
  return role === "global_admin" ? reasons : reasons.filter((r) => r !== "cACompromise" && r !== "aACompromise");
}
