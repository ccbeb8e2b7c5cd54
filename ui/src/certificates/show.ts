import { asId, oneOf } from "../parts/address";

/** What of the certificates is shown, if not those that end within some days. */
export const standings = ["issued", "unconfirmed", "unattested", "lapsed", "expired", "revoked"] as const;
export type Standing = (typeof standings)[number];
/** The choices that are offered. The numbers are days within which a valid one ends. */
export const shows = ["issued", "7", "30", "90", "unconfirmed", "unattested", "lapsed", "expired", "revoked"] as const;

/** Filters of the list, as they stand in the address. */
export type Filters = {
  q?: string;
  /** A standing, or a number of days within which a valid one ends. */
  show?: string;
  /** The Monday of the week in which a valid one ends. */
  week?: string;
  /** A token's serial number. */
  token?: string;
  /** A person's and an organization's id. */
  owner?: number;
  organization?: number;
};

/** What the server takes as filters. */
export type Query = {
  q?: string;
  status?: "issued" | "revoked" | "expired";
  hwkey_serial?: string;
  owner_id?: number;
  organization_id?: number;
  expires_from?: string;
  expires_before?: string;
  attested?: boolean;
  installed?: boolean;
  lapsed?: boolean;
};

/** isDays tells a number of days from a standing. */
export function isDays(show: string | undefined): boolean {
  return /^[1-9]\d{0,3}$/.test(show ?? "") && Number(show) <= 3650;
}

const isWeek = (text: string | undefined) =>
  /^\d{4}-\d{2}-\d{2}$/.test(text ?? "") && !Number.isNaN(Date.parse(`${text}T00:00:00Z`));

const serial = /^[0-9A-Za-z][0-9A-Za-z-]{3,63}$/;

/** readFilters takes from an address what it knows, and leaves out what makes no sense. */
export function readFilters(get: (name: string) => string | undefined): Filters {
  const q = get("q")?.slice(0, 128);
  const asked = get("show");
  const show = isDays(asked) ? asked : oneOf(asked, standings);
  const week = get("week");
  const token = get("token");
  const owner = asId(get("owner"));
  const organization = asId(get("organization"));
  return {
    ...(q ? { q } : {}),
    ...(show ? { show } : {}),
    ...(week && isWeek(week) ? { week } : {}),
    ...(token && serial.test(token) ? { token } : {}),
    ...(owner ? { owner } : {}),
    ...(organization ? { organization } : {}),
  };
}

const dayMs = 86_400_000;

/** toQuery gives the filters their names at the server. */
export function toQuery({ q, show, week, token, owner, organization }: Filters, now = Date.now()): Query {
  const query: Query = {};
  if (q) query.q = q;
  if (token) query.hwkey_serial = token;
  if (owner) query.owner_id = owner;
  if (organization) query.organization_id = organization;
  if (show === "lapsed") query.lapsed = true;
  else if (show === "revoked" || show === "expired") query.status = show;
  else if (show || week) query.status = "issued";
  if (show === "unconfirmed") query.installed = false;
  if (show === "unattested") query.attested = false;
  if (isDays(show)) query.expires_before = new Date(now + Number(show) * dayMs).toISOString();
  if (week) {
    const start = Date.parse(`${week}T00:00:00Z`);
    query.expires_from = new Date(start).toISOString();
    query.expires_before = new Date(start + 7 * dayMs).toISOString();
  }
  return query;
}
