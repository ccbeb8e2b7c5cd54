import type { paths } from "../../api/backend.gen";
import { asId, oneOf } from "../../parts/address";

type Query = NonNullable<paths["/api/admin/users"]["get"]["parameters"]["query"]>;

export const roles = ["user", "org_manager", "global_admin"] as const;
/** How an account stands, as the list can be narrowed by it; new: nobody has signed in yet. */
export const states = ["active", "invited", "new", "locked", "disabled", "recovery"] as const;

/** Filters of the list of people, as they stand in the address. */
export type Filters = {
  q?: string;
  role?: (typeof roles)[number];
  state?: (typeof states)[number];
  /** none, some, or "ending-" with the days within which a certificate ends. */
  tokens?: string;
  /** An organization's id. */
  organization?: number;
};

/** endingDays gives the days of "ending-". */
export function endingDays(tokens: string | undefined): number | undefined {
  const n = Number(/^ending-([1-9]\d{0,3})$/.exec(tokens ?? "")?.[1]);
  return n <= 3650 ? n : undefined;
}

/** readFilters takes from an address what it knows, and leaves out what makes no sense. */
export function readFilters(get: (name: string) => string | undefined): Filters {
  const q = get("q")?.slice(0, 128);
  const role = oneOf(get("role"), roles);
  const state = oneOf(get("state"), states);
  const tokens = get("tokens");
  const organization = asId(get("organization"));
  return {
    ...(q ? { q } : {}),
    ...(role ? { role } : {}),
    ...(state ? { state } : {}),
    ...(tokens && (oneOf(tokens, ["none", "some"]) || endingDays(tokens)) ? { tokens } : {}),
    ...(organization ? { organization } : {}),
  };
}

/** toQuery gives the filters their names at the server. */
export function toQuery({ q, role, state, tokens, organization }: Filters): Query {
  const query: Query = {};
  if (q) query.q = q;
  if (role) query.role = role;
  if (organization) query.organization_id = organization;
  if (state === "locked") query.locked = true;
  else if (state === "recovery") query.disabled_by_recovery = true;
  else if (state === "invited") query.state = "invited";
  else if (state === "new") query.state = "never_signed_in";
  else if (state) query.is_active = state === "active";
  const ending = endingDays(tokens);
  if (ending) query.expiring_within_days = ending;
  else if (tokens) query.tokens = tokens === "none" ? "none" : "some";
  return query;
}
