import { useQueries } from "@tanstack/react-query";
import { useAgent } from "../agent/state";
import type { Schema } from "../api/client";
import { seenQuery } from "../token/data";
import type { Seen } from "../token/next";

/**
 * useCards reads those of a person's tokens that are plugged in: a flow that stopped may have left on a card what is
 * on no record. reading: not all is known yet. A card that cannot be read says nothing here; its page says why.
 */
export function useCards(tokens: Schema<"HWKey">[]): { seen: ReadonlyMap<string, Seen>; reading: boolean } {
  const agent = useAgent();
  const plugged = "tokens" in agent ? agent.tokens.map((p) => p.serial) : [];
  const own = tokens.filter((k) => plugged.includes(k.serial));
  const read = useQueries({ queries: own.map((k) => seenQuery(k.serial)) });
  const seen = new Map<string, Seen>();
  for (const [i, { serial }] of own.entries()) {
    const data = read[i]?.data;
    if (data) seen.set(serial, data);
  }
  return { seen, reading: read.some((q) => q.isPending) };
}
