import type { Schema } from "../../api/client";
import type { Secret } from "../../parts/secret";
import type { Catalogue } from "../../text";

export type Stored = Schema<"OIDCSettings">;
export type Role = Schema<"User">["role"];

/** Row maps a value of a claim; key tells rows apart while they are typed. */
export type Row<T> = { key: number; value: string; to: T | null };

/** Draft is the settings as the form holds them. */
export type Draft = {
  enabled: boolean;
  name: string;
  issuer: string;
  client_id: string;
  client_secret: Secret;
  scopes: string[];
  create_users: boolean;
  username_claim: string;
  upn_claim: string;
  sid_claim: string;
  role_claim: string;
  role_mapping: Row<Role>[];
  default_role: Role | null;
  organization_claim: string;
  organization_mapping: Row<number>[];
  default_organization_id: number | null;
  logout_at_provider: boolean;
  trust_prompt: boolean;
  local_login: boolean;
};

export const roles: Role[] = ["global_admin", "org_manager", "user"];

/** asRole is a role by its name, or null. */
export function asRole(name: string | null): Role | null {
  return roles.find((r) => r === name) ?? null;
}

/** draftOf begins a form with what is stored. */
export function draftOf(s: Stored): Draft {
  return {
    enabled: s.enabled,
    name: s.name,
    issuer: s.issuer,
    client_id: s.client_id,
    client_secret: { mode: "keep" },
    scopes: s.scopes,
    create_users: s.create_users,
    username_claim: s.username_claim,
    upn_claim: s.upn_claim,
    sid_claim: s.sid_claim,
    role_claim: s.role_claim,
    role_mapping: Object.entries(s.role_mapping).map(([value, to], key) => ({ key, value, to: asRole(to) })),
    default_role: asRole(s.default_role),
    organization_claim: s.organization_claim,
    organization_mapping: Object.entries(s.organization_mapping).map(([value, to], key) => ({ key, value, to })),
    default_organization_id: s.default_organization_id,
    logout_at_provider: s.logout_at_provider,
    trust_prompt: s.trust_prompt,
    local_login: s.local_login,
  };
}

/** bodyOf is what the server is sent. The secret is absent when it stays. */
export function bodyOf(d: Draft): Schema<"PutOIDCSettings"> {
  const { client_secret: secret, ...rest } = d;
  return {
    ...rest,
    name: d.name.trim(),
    issuer: d.issuer.trim(),
    client_id: d.client_id.trim(),
    username_claim: d.username_claim.trim(),
    upn_claim: d.upn_claim.trim(),
    sid_claim: d.sid_claim.trim(),
    role_claim: d.role_claim.trim(),
    organization_claim: d.organization_claim.trim(),
    // Passwords have to work while single sign-on is off.
    local_login: d.local_login || !d.enabled,
    role_mapping: mapping(d.role_mapping),
    organization_mapping: mapping(d.organization_mapping),
    ...(secret.mode === "keep" ? {} : { client_secret: secret.mode === "replace" ? secret.value : "" }),
  };
}

function mapping<T>(rows: Row<T>[]): Record<string, T> {
  const out: Record<string, T> = {};
  for (const row of rows) if (row.to !== null) out[row.value.trim()] = row.to;
  return out;
}

type Words = Catalogue["settings"]["signon"];

/** rowsWrong says what is wrong with a table of values beside its claim. */
export function rowsWrong<T>(claim: string, rows: Row<T>[], words: Words): string | undefined {
  if (rows.some((r) => !r.value.trim() || r.to === null)) return words.incomplete;
  const seen = new Set<string>();
  for (const { value } of rows) {
    if (seen.has(value.trim())) return words.duplicate(value.trim());
    seen.add(value.trim());
  }
  if (claim.trim() && rows.length === 0) return words.claimAlone;
  if (!claim.trim() && rows.length > 0) return words.tableAlone;
  return undefined;
}

/** secretMissing: the stored secret belongs to another client or provider, and must be given again. */
export function secretMissing(d: Draft, stored: Stored): boolean {
  const moved = d.issuer.trim() !== stored.issuer || d.client_id.trim() !== stored.client_id;
  return stored.client_secret_set && moved && d.client_secret.mode === "keep";
}
