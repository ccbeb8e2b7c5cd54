import { expect, test } from "vitest";
import type { Schema } from "../../api/client";
import { bodyOf, can, losers, sharedOrganization, stepsFor } from "./change";

type Token = Schema<"HWKey">;
const base: Token = {
  serial: "1000",
  label: "",
  model: "",
  firmware_version: "",
  form_factor: "",
  status: "in_stock",
  next_statuses: ["lost", "retired"],
  owner: null,
  organization_id: 1,
  organization_name: "Acme",
  registered_at: "2026-01-01T00:00:00Z",
  enrolled_at: null,
  last_seen_at: null,
  secrets: { version: 1, rotation_pending: false, changed_at: null },
  certificates: [],
};
const owned: Token = {
  ...base,
  serial: "1001",
  status: "active",
  next_statuses: ["suspended", "lost", "retired"],
  owner: { id: 7, username: "carol" },
};
const lost: Token = { ...owned, serial: "1002", status: "lost", next_statuses: ["suspended", "retired"] };

test("the steps are what some of the tokens may take, in the order of a token's life", () => {
  expect(stepsFor([base, lost])).toEqual(["suspended", "lost", "retired"]);
  expect(stepsFor([])).toEqual([]);
  expect([base, owned, lost].map((t) => can(t, { kind: "status", status: "suspended" }))).toEqual([false, true, true]);
  expect([base, owned, lost].map((t) => can(t, { kind: "assign" }))).toEqual([true, true, false]);
  expect([base, owned, lost].map((t) => can(t, { kind: "takeBack" }))).toEqual([false, true, false]);
});

test("a token that is set up is brought back as active only", () => {
  const suspended: Token = { ...owned, status: "suspended", next_statuses: ["assigned", "active", "lost", "retired"] };
  const enrolled: Token = { ...suspended, enrolled_at: "2026-01-02T00:00:00Z" };
  expect(stepsFor([enrolled])).toEqual(["active", "lost", "retired"]);
  expect(can(enrolled, { kind: "status", status: "assigned" })).toBe(false);
  expect(stepsFor([enrolled, { ...suspended, next_statuses: ["assigned", "lost", "retired"] }])).toContain("assigned");
});

test("only those who lose a token count", () => {
  expect(losers([base, owned, lost], { kind: "assign" }, 8)).toBe(1);
  expect(losers([base, owned, lost], { kind: "assign" }, 7)).toBe(0);
  expect(losers([base, owned], { kind: "takeBack" }, undefined)).toBe(1);
  expect(losers([base, owned], { kind: "move" }, 8)).toBe(0);
});

test("an organization is shared when all are in it", () => {
  expect(sharedOrganization([base, owned])).toBe(1);
  expect(sharedOrganization([base, { ...owned, organization_id: 2 }])).toBeUndefined();
  expect(sharedOrganization([{ ...base, organization_id: null }])).toBeUndefined();
  expect(sharedOrganization([])).toBeUndefined();
});

test("the request names one change", () => {
  expect(bodyOf({ kind: "assign" }, ["1"], undefined)).toBeUndefined();
  expect(bodyOf({ kind: "assign" }, ["1"], 7)).toEqual({ serials: ["1"], owner_id: 7 });
  expect(bodyOf({ kind: "takeBack" }, ["1"], 7)).toEqual({ serials: ["1"], owner_id: null });
  expect(bodyOf({ kind: "move" }, ["1"], 3)).toEqual({ serials: ["1"], organization_id: 3 });
  expect(bodyOf({ kind: "status", status: "lost" }, ["1"], undefined)).toEqual({ serials: ["1"], status: "lost" });
});
