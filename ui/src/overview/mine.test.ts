import { expect, test } from "vitest";
import type { Schema } from "../api/client";
import { duties, earliestEnd } from "./mine";

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
  secrets: { changed_at: null, rotation_pending: false, version: 1 },
  serial: "30260001",
  status: "active",
  ...over,
});
const kinds = (...tokens: Schema<"HWKey">[]) => duties(tokens, now).map((d) => d.kind);

test("a token in order asks for nothing", () => {
  expect(kinds(token())).toEqual([]);
  expect(kinds(token({ status: "lost" }), token({ status: "retired", enrolled_at: null }))).toEqual([]);
});

test("what a token lacks is said once, the most pressing first", () => {
  const pending = { changed_at: null, rotation_pending: true, version: 2 };
  expect(kinds(token({ status: "suspended", secrets: pending }))).toEqual(["suspended"]);
  expect(kinds(token({ status: "assigned", enrolled_at: null, certificates: [] }))).toEqual(["setUp"]);
  expect(kinds(token({ secrets: pending, enrolled_at: null }))).toEqual(["rotation"]);
  expect(
    kinds(
      token({ certificates: [] }),
      token({ certificates: [certificate({ installed_at: null })] }),
      token({ certificates: [certificate({ not_after: "2026-12-01T00:00:00Z" })] }),
    ),
  ).toEqual(["ends", "bare", "unconfirmed"]);
});

test("the first end counts", () => {
  expect(earliestEnd([])).toBeUndefined();
  expect(earliestEnd([token(), token({ certificates: [certificate({ not_after: "2027-01-01T00:00:00Z" })] })])).toBe(
    "2027-01-01T00:00:00Z",
  );
});
