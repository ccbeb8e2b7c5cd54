import { expect, test } from "vitest";
import { readFilters, toQuery } from "./filters";

const asked = (values: Record<string, string>) => toQuery(readFilters((name) => values[name]));

test("an address gives the filters that make sense, with their names at the server", () => {
  expect(asked({ q: "ann", role: "user", state: "active", tokens: "none", organization: "4" })).toEqual({
    q: "ann",
    role: "user",
    is_active: true,
    tokens: "none",
    organization_id: 4,
  });
  expect(asked({ state: "invited", tokens: "some" })).toEqual({ state: "invited", tokens: "some" });
  expect(asked({ state: "new", tokens: "ending-30" })).toEqual({ state: "never_signed_in", expiring_within_days: 30 });
  expect(asked({ state: "disabled" })).toEqual({ is_active: false });
  expect(asked({ state: "locked" })).toEqual({ locked: true });
  expect(asked({ state: "recovery" })).toEqual({ disabled_by_recovery: true });
  expect(asked({ role: "boss", state: "away", tokens: "ending-0", organization: "x" })).toEqual({});
});
