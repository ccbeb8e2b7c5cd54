import type { Schema } from "../../api/client";
import { called } from "../../parts/person";
import { countOf, type Week, weeksOf } from "./weeks";

/** Report is what the server answers. */
export type Report = Schema<"ComplianceReport">;
/** Part are the numbers of one organization. */
export type Part = Report["organizations"][number];
/** Status is where a token stands in its life. */
type Status = keyof Part["tokens_by_status"];

const statuses: Status[] = ["active", "assigned", "in_stock", "suspended", "lost", "retired"];

/** Limited is a list that the server cut, with how many there are in all. */
export type Limited<T> = { count: number; items: (T & { organization: string })[] };
export type OldToken = Part["secrets_older_than_limit"]["tokens"][number];
export type Ending = Part["certificates_expiring"]["certificates"][number];
type Proof = Part["certificates_by_attestation"]["keys"][number];
export type Tokenless = Part["users_without_token"]["users"][number];

/** Whole are the numbers of all organizations of a report together. */
export type Whole = {
  tokens: number;
  byStatus: { status: Status; count: number }[];
  byFirmware: { name: string; count: number }[];
  old: Limited<OldToken>;
  /** Of those that ended on tokens in use, and were not renewed. */
  expired: Limited<Ending>;
  expiring: Limited<Ending>;
  /** Certificates by what their tokens proved of the keys; the rest of the attested are those that the server's list has no room for. */
  proofs: { attested: number; notAttested: number; keys: Proof[] };
  /** When certificates end, however soon they count as ending soon. */
  weeks: Week[];
  /** How many of the expiring end after these weeks. */
  later: number;
  tokenless: Limited<Tokenless>;
  releases: number;
  byReason: { name: string; count: number }[];
};

const listed = 100;

/** onlyOne gives the organization that a report is about; null when it is about all, though there be none yet. */
export function onlyOne({ organizations }: Report): Part | null {
  const [one, ...others] = organizations;
  return one && one.organization_id !== null && others.length === 0 ? one : null;
}

/** merge adds up the organizations of a report. Its lists stay as short as those of one. */
export function merge(report: Report): Whole {
  const parts = report.organizations;
  const sum = (of: (p: Part) => number) => parts.reduce((n, p) => n + of(p), 0);
  const weeks = weeksOf(report);
  return {
    tokens: sum((p) => p.tokens_total),
    byStatus: statuses.map((status) => ({ status, count: sum((p) => p.tokens_by_status[status]) })),
    byFirmware: counts(parts.flatMap((p) => p.tokens_by_firmware.map((f) => pair(f.firmware_version, f.count)))),
    old: list(
      parts,
      (p) => [p.secrets_older_than_limit.count, p.secrets_older_than_limit.tokens],
      (a) => a.changed_at,
    ),
    expired: list(
      parts,
      (p) => [p.certificates_expired.count, p.certificates_expired.certificates],
      (a) => a.not_after,
    ),
    expiring: list(
      parts,
      (p) => [p.certificates_expiring.count, p.certificates_expiring.certificates],
      (a) => a.not_after,
    ),
    proofs: {
      attested: sum((p) => p.certificates_by_attestation.attested),
      notAttested: sum((p) => p.certificates_by_attestation.not_attested),
      keys: proofs(parts.flatMap((p) => p.certificates_by_attestation.keys)),
    },
    weeks,
    later: Math.max(0, sum((p) => p.certificates_expiring.count) - countOf(weeks)),
    tokenless: list(parts, (p) => [p.users_without_token.count, p.users_without_token.users], called),
    releases: sum((p) => p.releases.total),
    byReason: counts(parts.flatMap((p) => p.releases.by_reason.map((r) => pair(r.reason, r.count)))),
  };
}

/** proofs adds up what is alike but for its number. */
function proofs(all: Proof[]): Proof[] {
  const totals = new Map<string, Proof>();
  for (const p of all) {
    const key = `${p.firmware_version} ${p.pin_policy} ${p.touch_policy}`;
    totals.set(key, { ...p, count: (totals.get(key)?.count ?? 0) + p.count });
  }
  return [...totals.values()].sort((a, b) => b.count - a.count);
}

const pair = (name: string, n: number): [string, number] => [name, n];

function counts(pairs: [string, number][]): { name: string; count: number }[] {
  const totals = new Map<string, number>();
  for (const [name, n] of pairs) totals.set(name, (totals.get(name) ?? 0) + n);
  return [...totals].map(([name, count]) => ({ name, count })).sort((a, b) => b.count - a.count);
}

function list<T>(parts: Part[], of: (p: Part) => [number, T[]], key: (item: T) => string): Limited<T> {
  let count = 0;
  const items: (T & { organization: string })[] = [];
  for (const part of parts) {
    const [n, some] = of(part);
    count += n;
    for (const item of some) items.push({ ...item, organization: part.organization_name });
  }
  items.sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));
  return { count, items: items.slice(0, listed) };
}
