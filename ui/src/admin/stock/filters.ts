import type { paths } from "../../api/backend.gen";
import { asId, oneOf } from "../../parts/address";
import { statuses, type TokenStatus } from "./statuses";

type Query = NonNullable<paths["/api/hwkey"]["get"]["parameters"]["query"]>;

/** Filters of the list of tokens, as they stand in the address. */
export type Filters = {
  q?: string;
  status?: TokenStatus;
  /** A person's and an organization's id. */
  owner?: number;
  organization?: number;
  /** Part of it. */
  model?: string;
  /** A version, none for an unknown one, or with "<" those before it. */
  firmware?: string;
  /** The days for which it has not been seen, or with "within-" the last ones in which it has. */
  seen?: string;
  /** One of the shows, or "ending-" and "old-" with a number of days. */
  show?: string;
};

/** What else can be asked of a token. */
export const shows = ["new", "owned", "unowned", "interrupted"] as const;

const version = /^<?\d{1,3}(\.\d{1,3}){0,2}$/;
const spans = { ending: /^ending-([1-9]\d{0,3})$/, old: /^old-([1-9]\d{0,3})$/, seen: /^(within-)?([1-9]\d{0,3})$/ };
const most = 3650;

const days = (text: string | undefined) => {
  const n = Number(text);
  return n <= most ? n : undefined;
};

/** endingDays and oldDays give the days of a show that has some. */
export const endingDays = (show: string | undefined) => days(spans.ending.exec(show ?? "")?.[1]);
export const oldDays = (show: string | undefined) => days(spans.old.exec(show ?? "")?.[1]);

/** seenDays takes apart when a token was seen last. */
export function seenDays(seen: string | undefined): { days: number; within: boolean } | undefined {
  const found = spans.seen.exec(seen ?? "");
  const n = days(found?.[2]);
  return found && n ? { days: n, within: Boolean(found[1]) } : undefined;
}

/** readFilters takes from an address what it knows, and leaves out what makes no sense. */
export function readFilters(get: (name: string) => string | undefined): Filters {
  const q = get("q")?.slice(0, 128);
  const status = oneOf(get("status"), statuses);
  const owner = asId(get("owner"));
  const organization = asId(get("organization"));
  const model = get("model")?.slice(0, 64);
  const firmware = get("firmware");
  const seen = get("seen");
  const show = get("show");
  return {
    ...(q ? { q } : {}),
    ...(status ? { status } : {}),
    ...(owner ? { owner } : {}),
    ...(organization ? { organization } : {}),
    ...(model ? { model } : {}),
    ...(firmware && (firmware === "none" || version.test(firmware)) ? { firmware } : {}),
    ...(seenDays(seen) ? { seen } : {}),
    ...(oneOf(show, shows) || endingDays(show) || oldDays(show) ? { show } : {}),
  } as Filters;
}

/** narrowed: more is asked than a status and an organization, by which the fleet is counted. */
export const narrowed = ({ status: _, organization: __, ...more }: Filters) => Object.keys(more).length > 0;

const dayMs = 86_400_000;

/** toQuery gives the filters their names at the server. */
export function toQuery({ q, status, owner, organization, model, firmware, seen, show }: Filters, now = Date.now()) {
  const ago = (n: number) => new Date(now - n * dayMs).toISOString();
  const query: Query = {};
  if (q) query.q = q;
  if (status) query.status = status;
  if (owner) query.owner_id = owner;
  if (organization) query.organization_id = organization;
  if (model) query.model = model;
  if (firmware?.startsWith("<")) query.firmware_below = firmware.slice(1);
  else if (firmware) query.firmware = firmware;
  const last = seenDays(seen);
  if (last) query[last.within ? "last_seen_from" : "last_seen_before"] = ago(last.days);
  const ending = endingDays(show);
  const old = oldDays(show);
  if (show === "new") query.enrolled = false;
  if (show === "owned") query.owner = "some";
  if (show === "unowned") query.owner = "none";
  if (show === "interrupted") query.rotation_pending = true;
  if (ending) query.expiring_within_days = ending;
  if (old) query.secrets_changed_before = ago(old);
  return query;
}

/** before are the versions of which older ones can be asked for: those that there are, but the oldest, and the one that people ask about. */
export function before(versions: readonly string[]): string[] {
  const parts = (v: string) => v.split(".").map(Number);
  const compare = (a: string, b: string) => {
    const [x, y] = [parts(a), parts(b)];
    return (x[0] ?? 0) - (y[0] ?? 0) || (x[1] ?? 0) - (y[1] ?? 0) || (x[2] ?? 0) - (y[2] ?? 0);
  };
  const sorted = [...new Set(versions.filter((v) => version.test(v)))].sort(compare);
  const [oldest] = sorted;
  return [...new Set([...sorted, "5.7.0"])]
    .filter((v) => oldest && compare(v, oldest) > 0)
    .sort(compare)
    .reverse();
}
