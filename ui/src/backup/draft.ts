import type { Schema } from "../api/client";
import { oneOf } from "../parts/address";
import type { Secret } from "../parts/secret";
import type { FormOf } from "../parts/useform";
import type { Catalogue } from "../text";
import type { Stored } from "./types";

/** What is to become of the encryption password. */
type Password = { mode: "keep" } | { mode: "replace"; value: string; again: string };

const locks = ["", "GOVERNANCE", "COMPLIANCE"] as const;
const encryptions = ["", "AES256", "aws:kms"] as const;

const shown = [
  "secret_access_key_set",
  "encryption_password_set",
  "location",
  "warnings",
  "next_at",
  "next_drill_at",
  "overdue_at",
  "drill_overdue_at",
] as const;

/** What the settings' answer has that is not set by them. */
type Shown = (typeof shown)[number];

/** Draft is the settings as the form holds them. */
export type Draft = Omit<Stored, Shown | "object_lock_mode" | "encryption"> & {
  object_lock_mode: (typeof locks)[number];
  encryption: (typeof encryptions)[number];
  secret_access_key: Secret;
  encryption_password: Password;
};

/** asLock is a mode of Object Lock by its name, or none; asEncryption an encryption by the store. */
export const asLock = (name: string | null) => oneOf(name ?? "", locks) ?? "";
const asEncryption = (name: string | null) => oneOf(name ?? "", encryptions) ?? "";

/** draftOf begins a form with what is stored. Without a password there is one to be typed. */
export function draftOf(s: Stored): Draft {
  const { encryption_password_set } = s;
  const rest: Omit<Stored, Shown> & Partial<Pick<Stored, Shown>> = { ...s };
  for (const name of shown) delete rest[name];
  return {
    ...rest,
    object_lock_mode: asLock(s.object_lock_mode),
    encryption: asEncryption(s.encryption),
    secret_access_key: { mode: "keep" },
    encryption_password: encryption_password_set ? { mode: "keep" } : { mode: "replace", value: "", again: "" },
  };
}

export type Body = Schema<"PutBackupSettings">;

/** bodyOf is what the server is sent; a secret that is absent stays. */
export function bodyOf(d: Draft): Body {
  const { secret_access_key: secret, encryption_password: password, ...rest } = d;
  const body: Body = {
    ...rest,
    s3_endpoint: d.s3_endpoint.trim(),
    region: d.region.trim(),
    bucket: d.bucket.trim(),
    prefix: d.prefix.trim(),
    access_key_id: d.access_key_id.trim(),
    kms_key_id: d.encryption === "aws:kms" ? d.kms_key_id.trim() : "",
    object_lock_days: d.object_lock_mode ? d.object_lock_days : 0,
    schedule: d.schedule.trim(),
    drill_schedule: d.drill_schedule.trim(),
  };
  if (secret.mode !== "keep") body.secret_access_key = secret.mode === "replace" ? secret.value : "";
  if (password.mode === "replace" && password.value) body.encryption_password = password.value;
  return body;
}

export const shortest = 12;

type Words = Catalogue["backups"]["settings"];

/** wrongWith says what the page itself can tell of the form, by the fields of the API; `again` is the second password. */
export function wrongWith(d: Draft, words: Words): Record<string, string> {
  const wrong: Record<string, string> = {};
  if (d.encryption_password.mode === "replace") {
    const { value, again } = d.encryption_password;
    if (value && [...value.normalize()].length < shortest) wrong.encryption_password = words.password.short(shortest);
    else if (again && again !== value) wrong.again = words.password.mismatch;
  }
  if (d.store === "s3") {
    if (!d.bucket.trim()) wrong.bucket = words.store.bucketMissing;
    if (d.secret_access_key.mode === "replace" && !d.secret_access_key.value)
      wrong.secret_access_key = words.store.secretMissing;
  }
  return wrong;
}

/** inTheOpen tells whether an endpoint is plain http to another computer. */
export function inTheOpen(endpoint: string): boolean {
  const url = URL.parse(endpoint.trim());
  return url?.protocol === "http:" && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
}

/** incomplete tells whether something is still to be typed before it can be sent. */
export function incomplete(d: Draft): boolean {
  return d.encryption_password.mode === "replace" && d.encryption_password.value !== d.encryption_password.again;
}

/** What the parts of the form are given. */
export type Part = { form: FormOf<Draft>; stored: Stored };
