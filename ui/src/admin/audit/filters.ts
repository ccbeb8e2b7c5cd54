import type { paths } from "../../api/backend.gen";

/** What the server takes as filters of the list and of the export. */
export type Query = NonNullable<paths["/api/admin/audit"]["get"]["parameters"]["query"]>;

export const outcomes = ["success", "failure", "denied"] as const;
export type Outcome = (typeof outcomes)[number];

/** Filters are what stands in the address. Times are instants, so that a shared page shows the same in every zone. */
export type Filters = {
  actor?: string;
  action?: string;
  target?: string;
  outcome?: Outcome;
  organization?: number;
  /** A person's id: what they did, and what was done to them. */
  person?: number;
  from?: string;
  to?: string;
};

/** readFilters takes what it knows from an address, and leaves out what makes no sense. */
export function readFilters(search: Record<string, unknown>): Filters {
  const f: Filters = {};
  const actor = text(search.actor, 254);
  const action = text(search.action, 64);
  const target = text(search.target, 64);
  const outcome = outcomes.find((o) => o === search.outcome);
  const organization = Number(search.organization);
  const person = Number(search.person);
  const from = instant(search.from);
  const to = instant(search.to);
  if (actor) f.actor = actor;
  if (action) f.action = action;
  if (target) f.target = target;
  if (outcome) f.outcome = outcome;
  if (Number.isSafeInteger(organization) && organization > 0) f.organization = organization;
  if (Number.isSafeInteger(person) && person > 0) f.person = person;
  if (from) f.from = from;
  if (to) f.to = to;
  return f;
}

/** count tells how many filters are set; a period counts once. */
export function count(f: Filters): number {
  const { from, to, ...others } = f;
  return Object.values(others).filter((v) => v !== undefined).length + (from || to ? 1 : 0);
}

/** toQuery gives the filters their names at the server. */
export function toQuery({ organization, person, ...others }: Filters): Query {
  return {
    ...others,
    ...(organization === undefined ? {} : { organization_id: organization }),
    ...(person === undefined ? {} : { user_id: person }),
  };
}

/** exportPath is the address of everything that the filters let through. */
export function exportPath(f: Filters, format: "csv" | "ndjson"): string {
  const q = new URLSearchParams({ format });
  for (const [name, value] of Object.entries(toQuery(f))) q.set(name, String(value));
  return `/api/admin/audit/export?${q}`;
}

/** toLocal gives an instant as a datetime-local control writes it, in the person's zone. */
export function toLocal(at: string | undefined): string {
  if (!at) return "";
  const d = new Date(at);
  if (Number.isNaN(d.getTime())) return "";
  const two = (n: number) => String(n).padStart(2, "0");
  const year = String(d.getFullYear()).padStart(4, "0");
  return `${year}-${two(d.getMonth() + 1)}-${two(d.getDate())}T${two(d.getHours())}:${two(d.getMinutes())}`;
}

/** fromLocal reads what a datetime-local control holds; undefined while it is not whole. */
export function fromLocal(value: string): string | undefined {
  const at = new Date(value);
  return value === "" || Number.isNaN(at.getTime()) ? undefined : instant(at.toISOString());
}

function text(value: unknown, max: number): string {
  // The router reads a serial such as 30260010 as a number.
  const s = typeof value === "number" ? String(value) : typeof value === "string" ? value.trim() : "";
  return s.length <= max ? s : "";
}

/** instant writes a time shortly; the server takes the years 1970 to 9999. */
function instant(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const at = new Date(value);
  const year = at.getUTCFullYear();
  if (Number.isNaN(at.getTime()) || year < 1970 || year > 9999) return undefined;
  return at.toISOString().replace(/\.\d+Z$/, "Z");
}

const hours = { hour: 1, day: 24, week: 7 * 24, month: 30 * 24 };

/** Period is how far back people usually look. */
export type Period = keyof typeof hours;

/** pastFrom gives the begin of a period that ends now, as a whole minute. */
export function pastFrom(period: Period, now = Date.now()): string | undefined {
  const minute = 60_000;
  return instant(new Date(Math.floor(now / minute) * minute - hours[period] * 60 * minute).toISOString());
}
