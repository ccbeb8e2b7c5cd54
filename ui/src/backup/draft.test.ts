import { expect, test } from "vitest";
import { backups } from "../text/en/backups";
import { bodyOf, type Draft, draftOf, incomplete, inTheOpen, wrongWith } from "./draft";
import type { Stored } from "./types";

const words = backups.settings;
const stored: Stored = {
  store: "directory",
  s3_endpoint: "",
  region: "",
  bucket: "",
  prefix: "",
  access_key_id: "",
  secret_access_key_set: false,
  use_path_style: false,
  insecure_tls: false,
  object_lock_mode: "",
  object_lock_days: 0,
  encryption: "",
  kms_key_id: "",
  schedule: "0 2 * * *",
  drill_schedule: "0 5 1 * *",
  time_zone: "",
  retention_days: 30,
  include_audit_logs: true,
  encryption_password_set: true,
  location: "/var/lib/keyward/backups",
  warnings: [],
  next_at: "2026-05-05T02:00:00Z",
  next_drill_at: null,
  overdue_at: null,
  drill_overdue_at: null,
};
const shown = [
  "secret_access_key",
  "encryption_password",
  "location",
  "warnings",
  "next_at",
  "next_drill_at",
  "overdue_at",
  "drill_overdue_at",
];
const draft = (more: Partial<Draft> = {}): Draft => ({ ...draftOf(stored), ...more });
const typed = (value: string, again = value) => draft({ encryption_password: { mode: "replace", value, again } });

test("the body has all settings, and no secret that stays", () => {
  const body = bodyOf(draft());
  expect(body).toMatchObject({
    store: "directory",
    schedule: "0 2 * * *",
    drill_schedule: "0 5 1 * *",
    retention_days: 30,
    include_audit_logs: true,
  });
  for (const name of ["secret_access_key", "encryption_password", ...shown]) {
    expect(body).not.toHaveProperty(name);
  }
});

test("secrets are sent when they are typed, as they are", () => {
  const body = bodyOf({ ...typed(" twelve chars "), secret_access_key: { mode: "replace", value: " key " } });
  expect(body.encryption_password).toBe(" twelve chars ");
  expect(body.secret_access_key).toBe(" key ");
  expect(bodyOf(draft({ secret_access_key: { mode: "remove" } })).secret_access_key).toBe("");
});

test("without a stored password there is one to be typed, but other settings can be saved before", () => {
  const first = draftOf({ ...stored, encryption_password_set: false });
  expect(first.encryption_password).toEqual({ mode: "replace", value: "", again: "" });
  expect(incomplete(first)).toBe(false);
  expect(wrongWith(first, words)).toEqual({});
  expect(bodyOf(first)).not.toHaveProperty("encryption_password");
});

test("a password has twelve characters and is typed twice", () => {
  expect(wrongWith(typed("short"), words)).toHaveProperty("encryption_password");
  expect(wrongWith(typed("🔑".repeat(11)), words)).toHaveProperty("encryption_password");
  expect(wrongWith(typed("🔑".repeat(12)), words)).toEqual({});
  expect(wrongWith(typed("long enough, this", "long enough, that"), words)).toEqual({ again: words.password.mismatch });
  // Not yet typed a second time: nothing is wrong, but it is not to be sent.
  const once = typed("long enough, this", "");
  expect(wrongWith(once, words)).toEqual({});
  expect(incomplete(once)).toBe(true);
  expect(incomplete(typed("long enough, this"))).toBe(false);
});

test("a bucket needs a name, and a key that is to be replaced its value", () => {
  const s3 = draft({ store: "s3", secret_access_key: { mode: "replace", value: "" } });
  expect(Object.keys(wrongWith(s3, words))).toEqual(["bucket", "secret_access_key"]);
  expect(wrongWith({ ...s3, bucket: "backups", secret_access_key: { mode: "keep" } }, words)).toEqual({});
});

test("what a switch hides is not sent", () => {
  const body = bodyOf(draft({ object_lock_days: 30, kms_key_id: "alias/backups", encryption: "AES256" }));
  expect(body).toMatchObject({ object_lock_days: 0, kms_key_id: "" });
  const whole = bodyOf(
    draft({
      object_lock_mode: "GOVERNANCE",
      object_lock_days: 30,
      encryption: "aws:kms",
      kms_key_id: " alias/backups ",
    }),
  );
  expect(whole).toMatchObject({ object_lock_days: 30, kms_key_id: "alias/backups" });
});

test("plain http is fine on this computer alone", () => {
  for (const own of [
    "",
    "https://s3.example.org",
    "http://localhost:9000",
    "http://127.0.0.1:9000",
    "http://[::1]:9000",
    "http:",
  ])
    expect(inTheOpen(own), own).toBe(false);
  for (const open of ["http://s3.example.org", " HTTP://10.0.0.7:9000 ", "http://127.0.0.1.example.org"])
    expect(inTheOpen(open), open).toBe(true);
});
