import type { Schema } from "../../api/client";
import type { SlotName } from "../../token/slots";
import type { Profile } from "./queries";

type Body = Omit<Schema<"NewProfile">, "name">;

export const keyTypes = ["rsa-2048", "rsa-3072", "rsa-4096", "ec-p256", "ec-p384", "ed25519"] as const;
export const keyUsages = ["digitalSignature", "contentCommitment", "keyEncipherment", "keyAgreement"] as const;
export const principals = ["{username}", "{upn}"] as const;
export const pinPolicies = ["never", "once", "always", "match_once", "match_always"] as const;
export const touchPolicies = ["never", "always", "cached"] as const;
export const sids = ["off", "optional", "required"] as const;
export const attestations = ["inherit", "verify", "require"] as const;
export const roles = ["global_admin", "org_manager", "user"] as const;

/** Draft is a profile as its form has it. */
export type Draft = {
  name: string;
  description: string;
  slots: string[];
  key_types: string[];
  ttl: string;
  key_usage: string[];
  extended_key_usage: string[];
  common_name: string;
  subject_organization: string;
  organizational_unit: string;
  country: string;
  /** The alternative names that are the account's. */
  email: boolean;
  upn: boolean;
  principal: string;
  dns: string[];
  uris: string[];
  sid: string;
  pin_policies: string[];
  touch_policies: string[];
  attestation: string;
  organizations: number[];
  roles: string[];
};

/** blank is a new profile: a certificate of a person's, to sign in with. */
export const blank: Draft = {
  name: "",
  description: "",
  slots: [],
  key_types: [...keyTypes],
  ttl: "",
  key_usage: ["digitalSignature"],
  extended_key_usage: [],
  common_name: "{username}",
  subject_organization: "",
  organizational_unit: "",
  country: "",
  email: true,
  upn: false,
  principal: "",
  dns: [],
  uris: [],
  sid: "off",
  pin_policies: [],
  touch_policies: [],
  attestation: "inherit",
  organizations: [],
  roles: [],
};

/** draftOf is a profile in a form, under that name. */
export function draftOf(p: Profile, name = p.name): Draft {
  const sans = p.sans ?? [];
  const of = (type: string) => sans.filter((san) => san.type === type).map((san) => san.value);
  return {
    name,
    description: p.description ?? "",
    slots: p.slots,
    key_types: p.key_types,
    ttl: p.ttl ?? "",
    key_usage: p.key_usage,
    extended_key_usage: p.extended_key_usage,
    common_name: p.subject.common_name,
    subject_organization: p.subject.organization ?? "",
    organizational_unit: p.subject.organizational_unit ?? "",
    country: p.subject.country ?? "",
    email: of("email").length > 0,
    upn: of("upn").length > 0,
    principal: of("krb5_principal")[0] ?? "",
    dns: of("dns"),
    uris: of("uri"),
    sid: p.sid || "off",
    pin_policies: p.pin_policies ?? [],
    touch_policies: p.touch_policies ?? [],
    attestation: p.attestation || "inherit",
    organizations: p.organizations ?? [],
    roles: p.roles ?? [],
  };
}

/** bodyOf is what the server is sent of a form. */
export function bodyOf(d: Draft): Body {
  const sans: NonNullable<Body["sans"]> = [
    ...(d.upn ? [{ type: "upn" as const, value: "{upn}" }] : []),
    ...(d.principal ? [{ type: "krb5_principal" as const, value: d.principal }] : []),
    ...(d.email ? [{ type: "email" as const, value: "{email}" }] : []),
    ...d.dns.map((value) => ({ type: "dns" as const, value })),
    ...d.uris.map((value) => ({ type: "uri" as const, value })),
  ];
  return {
    description: d.description.trim(),
    slots: d.slots as Body["slots"],
    key_types: d.key_types as Body["key_types"],
    ttl: d.ttl.trim(),
    key_usage: d.key_usage as Body["key_usage"],
    extended_key_usage: d.extended_key_usage,
    subject: {
      common_name: d.common_name.trim(),
      organization: d.subject_organization.trim(),
      organizational_unit: d.organizational_unit.trim(),
      country: d.country.trim(),
    },
    sans,
    sid: d.sid as NonNullable<Body["sid"]>,
    pin_policies: d.pin_policies as NonNullable<Body["pin_policies"]>,
    touch_policies: d.touch_policies as NonNullable<Body["touch_policies"]>,
    attestation: d.attestation as NonNullable<Body["attestation"]>,
    organizations: d.organizations,
    roles: d.roles as NonNullable<Body["roles"]>,
  };
}

/** previewOf is a whole profile for its preview, which comes before it has a name. */
export function previewOf(d: Draft): Schema<"NewProfile"> {
  const name = d.name.trim();
  return { name: /^[a-z0-9-]{1,40}$/.test(name) ? name : "preview", ...bodyOf(d) };
}

const longestName = 40;

/** freeName is a name for the copy of a profile that no other has. */
export function freeName(of: string, taken: readonly string[]): string {
  for (let n = 1; ; n++) {
    const end = n === 1 ? "-copy" : `-copy-${n}`;
    const name = of.slice(0, longestName - end.length) + end;
    if (!taken.includes(name)) return name;
  }
}

/** lifetimeOf gives a Go duration of whole hours in days or hours; null: it is of another kind. */
export function lifetimeOf(ttl: string): { unit: "days" | "hours"; n: number } | null {
  const hours = Number(/^(\d+)h(?:0m)?(?:0s)?$/.exec(ttl)?.[1]);
  if (!hours) return null;
  return hours % 24 === 0 ? { unit: "days", n: hours / 24 } : { unit: "hours", n: hours };
}

/** inSlot are the profiles for a slot. */
export function inSlot(profiles: readonly Profile[], slot: SlotName): Profile[] {
  return profiles.filter((p) => p.slots.includes(slot));
}
