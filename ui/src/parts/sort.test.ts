import { expect, test } from "vitest";
import { nextOrder, sortedBy } from "./sort";

test("a click on a column's name sorts by it, the other way round, and no more", () => {
  const seen = ["-made"];
  for (let i = 0; i < 3; i++) seen.push(nextOrder("name", seen[i] ?? "", "-made"));
  expect(seen).toEqual(["-made", "name", "-name", "-made"]);
  expect(seen.map((order) => sortedBy("name", order))).toEqual(["none", "ascending", "descending", "none"]);
  expect(nextOrder("name", "other", "-made")).toBe("name");
});
