import type { paths } from "../../api/backend.gen";

/** What the server takes for the report. */
export type Query = NonNullable<paths["/api/reports/compliance"]["get"]["parameters"]["query"]>;

/** Parameters are what stands in the address. Days of the period are the person's own, both inclusive. */
export type Parameters = {
  organization?: number;
  older?: number;
  within?: number;
  from?: string;
  to?: string;
};

/** What the server assumes of days that are not given. */
export const defaults = { older: 365, within: 30 };

/** The bounds of both numbers of days. */
export const bounds = { min: 1, max: 3650 };

/** readParameters takes what it knows from an address, and leaves out what makes no sense. */
export function readParameters(search: Record<string, unknown>): Parameters {
  const p: Parameters = {};
  const organization = whole(search.organization, Number.MAX_SAFE_INTEGER);
  const older = whole(search.older, bounds.max);
  const within = whole(search.within, bounds.max);
  const from = date(search.from);
  const to = date(search.to);
  if (organization) p.organization = organization;
  if (older && older !== defaults.older) p.older = older;
  if (within && within !== defaults.within) p.within = within;
  if (from) p.from = from;
  if (to) p.to = to;
  return p;
}

/** toQuery gives the parameters their names at the server. */
export function toQuery(p: Parameters): Query {
  const q: Query = {};
  if (p.organization) q.organization_id = p.organization;
  if (p.older) q.secrets_older_than_days = p.older;
  if (p.within) q.expiring_within_days = p.within;
  if (p.from) q.from = midnight(p.from, 0).toISOString();
  if (p.to) q.to = midnight(p.to, 1).toISOString();
  return q;
}

/** reportPath is the address of the report as a file. */
export function reportPath(p: Parameters, format: "json" | "csv"): string {
  const q = new URLSearchParams({ format });
  for (const [name, value] of Object.entries(toQuery(p))) q.set(name, String(value));
  return `/api/reports/compliance?${q}`;
}

function whole(value: unknown, max: number): number | undefined {
  const n = typeof value === "string" ? Number(value) : value;
  return typeof n === "number" && Number.isSafeInteger(n) && n >= 1 && n <= max ? n : undefined;
}

function date(value: unknown): string | undefined {
  if (typeof value !== "string" || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return undefined;
  const at = midnight(value, 0);
  const year = at.getFullYear();
  return Number.isNaN(at.getTime()) || year < 1971 || year > 9998 ? undefined : value;
}

/** midnight is where a day of the person begins, some days later. */
function midnight(day: string, later: number): Date {
  const [y = 0, m = 0, d = 0] = day.split("-").map(Number);
  return new Date(y, m - 1, d + later);
}
