import type { Schema } from "../../api/client";

/** Seal is how far the log is sealed, as the server tells. */
export type Seal = Schema<"AuditSeal">;

/** Freshness is what a glance at the seal should say. */
export type Freshness = "good" | "first" | "late" | "problem";

// The sealer runs every minute; one that was missed is no reason to worry yet.
const patience = 3 * 60_000;

/** freshness judges the seal. No new entries means no new seal, so only what waits tells that it is late. */
export function freshness(seal: Seal, now = Date.now()): Freshness {
  if (seal.problem !== null) return "problem";
  if (seal.oldest_unsealed_at !== null && now - new Date(seal.oldest_unsealed_at).getTime() > patience) return "late";
  return seal.sealed_at === null ? "first" : "good";
}
