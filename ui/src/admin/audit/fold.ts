import type { Schema } from "../../api/client";

/** Entry is one line of the log, as the server lists it. */
export type Entry = Schema<"ListedAuditEntry">;

/** Deed is what a person did at once: one entry or several, in the order of the list. */
export type Deed = readonly [Entry, ...Entry[]];

/** Between two steps somebody enters a PIN, or finds the token. */
const pause = 120_000;

/** tokenOf is the token that an entry is about, itself or by its certificate. */
export function tokenOf(e: Entry): string | undefined {
  if (e.target_type === "hwkey") return e.target_id;
  return e.target_type === "certificate" ? /^token ([^\s,;]+),/.exec(e.details)?.[1] : undefined;
}

const begins = new Set(["hwkey.secrets_released", "hwkey.rotation_started", "hwkey.reset"]);
const ends = new Set([
  "hwkey.enrolled",
  "hwkey.reset",
  "hwkey.rotation_committed",
  "hwkey.rotation_aborted",
  "certificate.installed",
]);
/** What a flow at a token writes, request by request. */
const steps = new Set([...begins, ...ends, "hwkey.secrets_observed", "certificate.issued"]);

/**
 * fold puts the entries of one action together: those of one request, which stand or fall together, and the steps of a
 * flow at a token, which the same person took at the same computer without a long pause. What begins anew after an end is
 * another action. Every entry is in exactly one deed; a deed stands where the first of its entries stood.
 */
export function fold(entries: readonly Entry[]): Deed[] {
  const requests = new Map<string, Entry[]>();
  const flows = new Map<string, { deed: Entry[]; last: number; ended: boolean }>();
  const deedOf = new Map<Entry, Entry[]>();
  for (const e of [...entries].sort((a, b) => a.id - b.id)) {
    const at = Date.parse(e.at);
    const token = e.outcome === "success" && e.actor_id !== null && steps.has(e.action) ? tokenOf(e) : undefined;
    const name = token && JSON.stringify([e.actor_id, e.actor, e.hostname, token]);
    const flow = name ? flows.get(name) : undefined;
    const goesOn = flow && at - flow.last <= pause && !(flow.ended && begins.has(e.action));
    const deed = (e.request_id ? requests.get(e.request_id) : undefined) ?? (goesOn ? flow.deed : []);
    deed.push(e);
    deedOf.set(e, deed);
    if (e.request_id) requests.set(e.request_id, deed);
    if (name) {
      const ended = ends.has(e.action) || Boolean(goesOn && flow.deed === deed && flow.ended);
      flows.set(name, { deed, last: at, ended });
    }
  }
  const deeds = new Map<Entry[], Entry[]>();
  for (const e of entries) {
    const deed = deedOf.get(e) ?? [e];
    const listed = deeds.get(deed);
    if (listed) listed.push(e);
    else deeds.set(deed, [e]);
  }
  return [...deeds.values()].flatMap(([first, ...others]) => (first ? [[first, ...others] as const] : []));
}

/** Story is what a deed of several entries amounts to; main: the entry that says most of it. */
export type Story = { main: Entry } & (
  | { what: "setUp"; serial: string; owner: string | undefined }
  | { what: "reset" | "renewed" | "certified" | "pinUnblocked" | "pinChanged" | "secretsChanged" | "secretsRead" }
  | { what: "signedIn" | "signedOut" }
  | { what: "left"; tokens: number; certificates: number }
  | { what: "status"; from: string; to: string }
  | { what: "assignedTo"; owner: string }
  | { what: "takenBack" | "ownerRemoved" }
  | { what: "same" | "main" }
);

/** storyOf tells it from the entries alone, never from what is so today. */
export function storyOf(deed: Deed): Story {
  const byId = [...deed].sort((a, b) => a.id - b.id);
  const find = (action: string) => byId.find((e) => e.action === action);
  const all = (action: string) => byId.filter((e) => e.action === action);
  const number = (pattern: RegExp) => Number(byId.map((e) => pattern.exec(e.details)?.[1]).find(Boolean) ?? 0);
  const [first = deed[0]] = byId;

  const left = find("user.disabled");
  if (left) {
    const [tokens, certificates] = [number(/^(\d+) tokens suspended$/), number(/^(\d+) certificates revoked$/)];
    return { what: "left", main: left, tokens, certificates };
  }
  const same = byId.every((e) => e.action === first.action);
  // That its certificates are revoked follows from what was done to a token.
  const [cause = first, ...others] = byId.filter((e) => e.action !== "certificate.revoked");
  if (others.every((e) => e.action === cause.action && e.details === cause.details)) {
    const [, from, to] = /^from (\w+) to (\w+)(?:$|[:;])/.exec(cause.details) ?? [];
    if (cause.action === "hwkey.status_changed" && from && to) return { what: "status", main: cause, from, to };
    const [, owner] = /^owner is now ([^;]+)/.exec(cause.details) ?? [];
    if (cause.action === "hwkey.assigned" && owner) return { what: "assignedTo", main: cause, owner };
  }
  const ownerRemoved = (e: Entry) => e.action === "hwkey.assigned" && e.details.startsWith("owner removed");
  if (byId.every(ownerRemoved)) return { what: "ownerRemoved", main: first };
  if (same && first.action !== "hwkey.secrets_released") return { what: "same", main: first };
  const setUp = find("hwkey.enrolled");
  const issued = find("certificate.issued");
  if (setUp) {
    const [, owner] = /\bsubject CN=([^,]+)/.exec(issued?.details ?? "") ?? [];
    return { what: "setUp", main: setUp, serial: setUp.target_id, owner: owner === setUp.actor ? undefined : owner };
  }
  const reset = find("hwkey.reset");
  const removed = byId.find(ownerRemoved);
  if (reset) return { what: removed ? "takenBack" : "reset", main: reset };
  if (removed) return { what: "ownerRemoved", main: removed };
  const certified = find("certificate.installed") ?? issued;
  if (certified) {
    const renewed = all("certificate.revoked").some((e) => e.reason === "superseded");
    return { what: renewed ? "renewed" : "certified", main: certified };
  }
  const changed = find("hwkey.rotation_committed");
  if (changed) {
    const pin = byId.some((e) => /\bfields pin\b/.test(e.details) && e.action.startsWith("hwkey.rotation_"));
    // Only of somebody else's token is a reason demanded.
    const other = byId.some((e) => e.reason !== "");
    return { what: pin ? (other ? "pinUnblocked" : "pinChanged") : "secretsChanged", main: changed };
  }
  const read = find("hwkey.secrets_released");
  const only = byId.every((e) => e.action === "hwkey.secrets_released" || e.action === "hwkey.secrets_observed");
  if (read && only) return { what: "secretsRead", main: read };
  const login = find("auth.login");
  if (login) return { what: "signedIn", main: login };
  const logout = find("auth.logout");
  if (logout) return { what: "signedOut", main: logout };
  return { what: "main", main: first };
}

/** reasonOf is why it was done, as the person entered it. */
export function reasonOf(deed: Deed): string {
  return deed.find((e) => e.reason && !e.action.startsWith("certificate."))?.reason ?? "";
}
