import type { Schema } from "../../api/client";

/** Seal is how far the log is sealed, as the server tells. */
export type Seal = Schema<"AuditSeal">;

/** sealKey names it among what was asked. */
export const sealKey = ["audit", "seal"] as const;

/** Freshness is what a glance at the seal should say. */
export type Freshness = "good" | "first" | "late" | "problem";

// As long as the health report waits before it says that sealing is late.
const patience = 5 * 60_000;

/** freshness judges the seal. No new entries means no new seal, so only what waits tells that it is late. */
export function freshness(seal: Seal, now = Date.now()): Freshness {
  if (seal.problem !== null) return "problem";
  if (seal.oldest_unsealed_at !== null && now - new Date(seal.oldest_unsealed_at).getTime() > patience) return "late";
  return seal.sealed_at === null ? "first" : "good";
}
