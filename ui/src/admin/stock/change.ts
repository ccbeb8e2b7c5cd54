import type { Schema } from "../../api/client";
import { statusesFor } from "../../token/statuses";
import { statuses, type TokenStatus } from "./statuses";

type Token = Schema<"HWKey">;

/** Step is what a bulk change does. */
export type Step =
  | { kind: "assign" }
  | { kind: "takeBack" }
  | { kind: "move" }
  | { kind: "status"; status: TokenStatus };

/** stepsFor gives the statuses that at least one of the tokens may take now, in the order of a token's life. */
export function stepsFor(tokens: readonly Token[]): TokenStatus[] {
  return statuses.filter((status) => tokens.some((token) => statusesFor(token).includes(status)));
}

/** can tells whether a token may take a step, as far as the page knows. The server decides. */
export function can(token: Token, step: Step): boolean {
  switch (step.kind) {
    case "assign":
      return token.status !== "lost" && token.status !== "retired";
    case "takeBack":
      return token.owner !== null && token.status !== "lost" && token.status !== "retired";
    case "move":
      return true;
    case "status":
      return statusesFor(token).includes(step.status);
  }
}

/** losers counts the tokens that a new owner takes from somebody: they are revoked, and must be reset. */
export function losers(tokens: readonly Token[], step: Step, ownerId: number | undefined): number {
  if (step.kind !== "assign" && step.kind !== "takeBack") return 0;
  return tokens.filter((token) => can(token, step) && token.owner !== null && token.owner.id !== ownerId).length;
}

/** sharedOrganization is the organization that all the tokens belong to, if it is one. */
export function sharedOrganization(tokens: readonly Token[]): number | undefined {
  const [first] = tokens;
  const id = first?.organization_id ?? undefined;
  return tokens.every((token) => token.organization_id === id) ? id : undefined;
}

/** bodyOf is the request of a step, or undefined while something is missing. */
export function bodyOf(step: Step, serials: string[], chosen: number | undefined): Schema<"BulkInputBody"> | undefined {
  switch (step.kind) {
    case "assign":
      return chosen === undefined ? undefined : { serials, owner_id: chosen };
    case "takeBack":
      return { serials, owner_id: null };
    case "move":
      return chosen === undefined ? undefined : { serials, organization_id: chosen };
    case "status":
      return { serials, status: step.status };
  }
}
