import type { QueryKey } from "@tanstack/react-query";
import type { Happening } from "./follow";

/** What pages of people and organizations say of the audit log; the log itself stands still under who reads it. */
const histories = [
  ["audit", "history"],
  ["audit", "invited"],
];
/** What pages show of tokens; a token's own queries come with its serial number. */
const ofTokens = [
  ["hwkeys"],
  ["hwkey", "mine"],
  ["hwkey", "rotations"],
  ["compliance"],
  ["audit", "desk"],
  ...histories,
];

/**
 * affected names the queries whose answers may be others now. Tokens, certificates and people show each other: a list
 * of tokens names owners and the next end of a certificate.
 */
export function affected(h: Happening, me: number): QueryKey[] {
  switch (h.kind) {
    case "missed":
      return [[]];
    case "tokens":
      return [
        ["hwkey", h.id],
        ["card", h.id],
        ["profiles", "usable", h.id],
        ["users", "list"],
        ["users", "holds"],
        ...ofTokens,
      ];
    case "certificates":
      return [["certificates"], ["pki"], ["hwkey"], ["users", "list"], ["users", "holds"], ...ofTokens];
    case "accounts": {
      const own: QueryKey[] = h.id === String(me) ? [["me"], ["agents"]] : [];
      return [["users"], ["sessions"], ["hwkey"], ["certificates"], ...ofTokens, ...own];
    }
    case "jobs":
      // What lies in the store is asked for when a job is over: it costs there.
      return [
        ["backups", "jobs"],
        ["backups", "running"],
        ["backups", "latest"],
        ["backups", "job"],
      ];
    case "notices":
      return [["notices"]];
  }
}
