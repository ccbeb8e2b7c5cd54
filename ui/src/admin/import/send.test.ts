import { expect, test } from "vitest";
import { columns, sample } from "./send";

test("the template has as many cells as columns", () => {
  expect(sample.length + 1).toBe(columns.length);
});
