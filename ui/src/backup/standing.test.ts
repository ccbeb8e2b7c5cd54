import { expect, test } from "vitest";
import { failed } from "./standing";

test("a backup that failed needs somebody, one that was cancelled was meant to end", () => {
  expect(failed({ status: "Failed", outcome: null })).toBe(true);
  expect(failed({ status: "Failed", outcome: "cancelled" })).toBe(false);
  expect(failed({ status: "Completed", outcome: "warnings" })).toBe(false);
});
