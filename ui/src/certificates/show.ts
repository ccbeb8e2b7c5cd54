import { asId, oneOf } from "../parts/address";

/** What of the certificates is shown. The numbers are days within which a valid one ends. */
export const shows = ["issued", "7", "30", "90", "unconfirmed", "lapsed", "expired", "revoked"] as const;
export type Show = (typeof shows)[number];

/** Filters of the list, as they stand in the address. */
export type Filters = {
  q?: string;
  show?: Show;
  /** A token's serial number. */
  token?: string;
  /** An organization's id. */
  organization?: number;
};

/** What the server takes as filters. */
export type Query = {
  q?: string;
  status?: "issued" | "revoked" | "expired";
  hwkey_serial?: string;
  organization_id?: number;
  expires_before?: string;
  installed?: boolean;
  lapsed?: boolean;
};

/** isDays tells the choices that are a number of days from those that are a status. */
export function isDays(show: Show): show is "7" | "30" | "90" {
  return show === "7" || show === "30" || show === "90";
}

const serial = /^[0-9A-Za-z][0-9A-Za-z-]{3,63}$/;

/** readFilters takes from an address what it knows, and leaves out what makes no sense. */
export function readFilters(get: (name: string) => string | undefined): Filters {
  const q = get("q")?.slice(0, 128);
  const show = oneOf(get("show"), shows);
  const token = get("token");
  const organization = asId(get("organization"));
  return {
    ...(q ? { q } : {}),
    ...(show ? { show } : {}),
    ...(token && serial.test(token) ? { token } : {}),
    ...(organization ? { organization } : {}),
  };
}

const dayMs = 86_400_000;

/** toQuery gives the filters their names at the server. */
export function toQuery({ q, show, token, organization }: Filters, now = Date.now()): Query {
  return {
    ...(q ? { q } : {}),
    ...(token ? { hwkey_serial: token } : {}),
    ...(organization ? { organization_id: organization } : {}),
    ...(show === undefined
      ? {}
      : isDays(show)
        ? { status: "issued", expires_before: new Date(now + Number(show) * dayMs).toISOString() }
        : show === "unconfirmed"
          ? { status: "issued", installed: false }
          : show === "lapsed"
            ? { lapsed: true }
            : { status: show }),
  };
}
