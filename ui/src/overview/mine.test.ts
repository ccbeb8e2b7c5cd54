import { expect, test } from "vitest";
import type { Schema } from "../api/client";
import type { Seen } from "../token/next";
import { duties, type Ended, earliestEnd } from "./mine";

const now = Date.parse("2026-11-21T12:00:00Z");
const certificate = (over: Partial<Schema<"ShortCertificate">> = {}): Schema<"ShortCertificate"> => ({
  common_name: "carol",
  installed_at: "2026-01-01T00:00:00Z",
  not_before: "2026-01-01T00:00:00Z",
  not_after: "2027-05-01T00:00:00Z",
  serial_number: "01",
  slot: "9a",
  ...over,
});
const token = (over: Partial<Schema<"HWKey">> = {}): Schema<"HWKey"> => ({
  certificates: [certificate()],
  enrolled_at: "2026-01-01T00:00:00Z",
  firmware_version: "5.7.1",
  form_factor: "USB-C",
  label: "Key",
  last_seen_at: null,
  model: "",
  next_statuses: [],
  organization_id: 1,
  organization_name: "Acme",
  owner: { id: 3, username: "carol" },
  registered_at: "2026-01-01T00:00:00Z",
  secrets: { changed_at: "2026-01-02T00:00:00Z", rotation_pending: false, version: 1 },
  serial: "30260001",
  status: "active",
  ...over,
});
const kinds = (...tokens: Schema<"HWKey">[]) => duties(tokens, [], new Map(), now).map((d) => d.kind);

test("a token in order asks for nothing", () => {
  expect(kinds(token())).toEqual([]);
  expect(kinds(token({ status: "lost" }), token({ status: "retired", enrolled_at: null }), token())).toEqual([]);
});

test("all is not done for whoever has no token in use", () => {
  expect(kinds(token({ status: "retired", enrolled_at: null }), token({ status: "lost" }))).toEqual([
    "lost",
    "retired",
  ]);
  expect(kinds(token({ status: "suspended" }), token({ status: "lost" }))).toEqual(["suspended"]);
});

const key = { public_key_sha256: "a1", key_algorithm: "RSA2048", pin_policy: null, touch_policy: null };
const shown = (serial_number: string) => ({
  ...key,
  slot: "9a",
  certificate: {
    serial_number,
    subject: "CN=carol",
    issuer: "CN=y",
    not_before: "2026-01-01T00:00:00Z",
    not_after: "2027-05-01T00:00:00Z",
    public_key_sha256: "a1",
  },
});
const card = (over: object = {}, secret = false) =>
  ({
    card: { serial: "30260001", version: "5.7.1", pin_retries: 3, puk_retries: 3, slots: [shown("01")], ...over },
    defaults: { pin_default: secret, puk_default: secret, management_key_default: secret },
  }) as unknown as Seen;
const plugged = (own: Partial<Schema<"HWKey">>, seen: Seen, all: Ended[] = [ended({ ...live, serial_number: "01" })]) =>
  duties([token(own)], all, new Map([["30260001", seen]]), now).map((d) =>
    "certificate" in d ? `${d.kind} ${d.certificate.slot}` : d.kind,
  );
const live = { status: "issued", revoked_at: null, revocation_reason: null } as const;

test("what a plugged-in card shows counts, too", () => {
  expect(plugged({}, card())).toEqual([]);
  expect(plugged({}, card({ pin_retries: 0 }))).toEqual(["pinBlocked"]);
  expect(plugged({}, card({ pin_retries: 1 }))).toEqual(["pinLow"]);
  expect(plugged({}, card({ puk_retries: 0 }))).toEqual(["pukBlocked"]);
  expect(plugged({}, card({ pin_retries: 0, puk_retries: 0 }))).toEqual(["bothBlocked"]);
  expect(plugged({}, card({}, true)), "its secrets are the factory's").toEqual(["factory"]);
  expect(plugged({}, card({ slots: [] }))).toEqual(["missing 9a"]);
  expect(plugged({}, card({ slots: [shown("ff")] })), "another certificate is in its place").toEqual(["missing 9a"]);
  expect(plugged({ status: "suspended" }, card({ pin_retries: 0 }))).toEqual(["suspended"]);
  // What was stored after the card was read is not missing.
  const stored = [ended({ ...live, serial_number: "02", installed_at: "2026-11-21T11:00:00Z" })];
  const at = (hour: number) => ({ ...card(), at: Date.parse(`2026-11-21T${hour}:00:00Z`) });
  expect(plugged({}, at(10), stored)).toEqual([]);
  expect(plugged({}, at(12), stored)).toEqual(["missing 9a"]);
  // What the token's page begins with stands before what was interrupted.
  const secrets = { changed_at: null, rotation_pending: true, version: 2 };
  expect(plugged({ secrets }, card({}, true))).toEqual(["factory"]);
  expect(plugged({ secrets, enrolled_at: null }, card({ pin_retries: 0, puk_retries: 0 }))).toEqual(["bothBlocked"]);
  expect(plugged({ secrets }, card({ pin_retries: 0 }))).toEqual(["rotation"]);
});

test("an interrupted reset is no interrupted setup", () => {
  const blank: Partial<Schema<"HWKey">> = { enrolled_at: null, status: "assigned", certificates: [] };
  const former = [ended({ serial_number: "01" })];
  expect(plugged(blank, card(), former)).toEqual(["halfReset"]);
  expect(plugged(blank, card({ slots: [] }), former)).toEqual(["half"]);
  expect(plugged(blank, card({ slots: [] }, true), former)).toEqual(["setUp"]);
});

test("what a token lacks is said once, the most pressing first", () => {
  const pending = { changed_at: null, rotation_pending: true, version: 2 };
  expect(kinds(token({ status: "suspended", secrets: pending }))).toEqual(["suspended"]);
  expect(kinds(token({ status: "assigned", enrolled_at: null, certificates: [] }))).toEqual(["setUp"]);
  expect(kinds(token({ status: "assigned", enrolled_at: null }))).toEqual(["half"]);
  expect(kinds(token({ secrets: pending, enrolled_at: null }))).toEqual(["rotation"]);
  expect(
    kinds(
      token({ certificates: [] }),
      token({ certificates: [certificate({ installed_at: null })] }),
      token({ certificates: [certificate({ not_after: "2026-12-01T00:00:00Z" })] }),
    ),
  ).toEqual(["begun", "ends", "bare"]);
  const changed_at = "2025-12-31T00:00:00Z";
  expect(kinds(token({ secrets: { changed_at, rotation_pending: false, version: 1 } }))).toEqual(["ownPin"]);
});

test("what stopped is told for each slot, from the record and from the card", () => {
  const said = (cards: Map<string, Seen>, ...certificates: Schema<"ShortCertificate">[]) =>
    duties(
      [token({ certificates })],
      certificates.map(({ slot, ...c }) =>
        ended({ ...c, slot: slot as Ended["slot"], status: "issued", revoked_at: null, revocation_reason: null }),
      ),
      cards,
      now,
    ).map((d) => ("certificate" in d ? `${d.kind} ${d.certificate.slot}` : d.kind));
  const waits = certificate({ serial_number: "02", slot: "9c", installed_at: null });
  expect(said(new Map(), certificate(), waits)).toEqual(["begun 9c"]);
  // One that ends soon is gone on with, not renewed beside.
  const short = { installed_at: null, not_after: "2026-12-01T00:00:00Z" };
  expect(said(new Map(), certificate(short))).toEqual(["begun 9a"]);
  const seen = card({ slots: [shown("01"), { ...key, slot: "9d" }] });
  expect(said(new Map([["30260001", seen]]), certificate())).toEqual(["begun 9d"]);
});

const ended = (over: Partial<Ended> = {}): Ended => ({
  hwkey_serial: "30260001",
  installed_at: "2026-01-01T00:00:00Z",
  not_before: "2026-01-01T00:00:00Z",
  not_after: "2027-01-01T00:00:00Z",
  revocation_reason: "unspecified",
  revoked_at: "2026-11-01T00:00:00Z",
  serial_number: "0f",
  common_name: "carol",
  slot: "9a",
  status: "revoked",
  owner: { id: 3, username: "carol" },
  ...over,
});

test("a slot whose last certificate was revoked or has expired is not in order", () => {
  const said = (own: Partial<Schema<"HWKey">>, ...all: Ended[]) =>
    duties([token(own)], all, new Map(), now).map((d) =>
      "certificate" in d ? `${d.kind} ${d.certificate.slot}` : d.kind,
    );
  const signature = { certificates: [certificate({ slot: "9c" })] };
  expect(said(signature, ended())).toEqual(["revoked 9a"]);
  expect(said(signature, ended({ revocation_reason: "privilegeWithdrawn" }))).toEqual(["revoked 9a"]);
  expect(said({ certificates: [] }, ended())).toEqual(["revoked 9a"]);
  const expired = ended({ slot: "9c", status: "expired", not_after: "2026-11-02T00:00:00Z", revoked_at: null });
  expect(said({}, expired)).toEqual(["expired 9c"]);
  // The list that the page has may be older than the end.
  expect(said({}, { ...expired, status: "issued" })).toEqual(["expired 9c"]);
  // Renewed, done with, another token's, or from before the token was set up again.
  expect(said({}, ended())).toEqual([]);
  expect(said({}, ended({ slot: "9c", revocation_reason: "cessationOfOperation" }))).toEqual([]);
  expect(said({}, ended({ slot: "9c", hwkey_serial: "30260002" }))).toEqual([]);
  const again = { changed_at: "2026-11-11T00:00:00Z", rotation_pending: false, version: 2 };
  expect(said({ enrolled_at: "2026-11-10T00:00:00Z", secrets: again }, ended({ slot: "9c" }))).toEqual([]);
});

test("the first end counts", () => {
  expect(earliestEnd([])).toBeUndefined();
  expect(earliestEnd([token(), token({ certificates: [certificate({ not_after: "2027-01-01T00:00:00Z" })] })])).toBe(
    "2027-01-01T00:00:00Z",
  );
});
