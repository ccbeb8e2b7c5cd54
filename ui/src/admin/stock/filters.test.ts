import { expect, test } from "vitest";
import { before, narrowed, readFilters, toQuery } from "./filters";

const address = (values: Record<string, string>) => (name: string) => values[name];

test("the fleet's counts are those of a list that only a status and an organization narrow", () => {
  expect([{}, { status: "active" as const, organization: 3 }].map(narrowed)).toEqual([false, false]);
  expect([{ status: "active" as const, q: "work" }, { show: "new" }].map(narrowed)).toEqual([true, true]);
});

test("an address gives the filters that make sense", () => {
  const all = {
    q: "work",
    status: "active",
    owner: "7",
    organization: "3",
    model: "5C",
    firmware: "<5.7",
    seen: "within-30",
    show: "ending-60",
  };
  expect(readFilters(address(all))).toEqual({ ...all, owner: 7, organization: 3 });
  expect(readFilters(address({ status: "new", owner: "x", firmware: "new", seen: "-3", show: "old-0" }))).toEqual({});
  expect(readFilters(address({ show: "ending-4000", seen: "9999" }))).toEqual({});
});

test("filters have their names at the server, and days become times", () => {
  const now = Date.parse("2026-11-21T15:00:00Z");
  const asked = (values: Record<string, string>) => toQuery(readFilters(address(values)), now);
  expect(asked({ firmware: "<5.7" })).toEqual({ firmware_below: "5.7" });
  expect(asked({ firmware: "5.4.3", model: "nfc" })).toEqual({ firmware: "5.4.3", model: "nfc" });
  expect(asked({ firmware: "none" })).toEqual({ firmware: "none" });
  expect(asked({ seen: "90" })).toEqual({ last_seen_before: "2026-08-23T15:00:00.000Z" });
  expect(asked({ seen: "within-1" })).toEqual({ last_seen_from: "2026-11-20T15:00:00.000Z" });
  expect(asked({ show: "new" })).toEqual({ enrolled: false });
  expect(asked({ show: "unowned" })).toEqual({ owner: "none" });
  expect(asked({ show: "owned" })).toEqual({ owner: "some" });
  expect(asked({ show: "interrupted" })).toEqual({ rotation_pending: true });
  expect(asked({ show: "ending-30" })).toEqual({ expiring_within_days: 30 });
  expect(asked({ show: "old-365" })).toEqual({ secrets_changed_before: "2025-11-21T15:00:00.000Z" });
  expect(asked({})).toEqual({});
});

test("older ones are offered of the versions that there are, newest first", () => {
  expect(before(["5.10.1", "5.4.3", "", "4.3.7", "5.4.3"])).toEqual(["5.10.1", "5.7.0", "5.4.3"]);
  expect(before(["5.7.4"])).toEqual([]);
  expect(before([])).toEqual([]);
});
