import { expect, test } from "vitest";
import { inOrder, nextOrder, sortedBy } from "./sort";

test("a click on a column's name sorts by it, the other way round, and no more", () => {
  const seen = ["-made"];
  for (let i = 0; i < 3; i++) seen.push(nextOrder("name", seen[i] ?? "", "-made"));
  expect(seen).toEqual(["-made", "name", "-name", "-made"]);
  expect(seen.map((order) => sortedBy("name", order))).toEqual(["none", "ascending", "descending", "none"]);
  expect(nextOrder("name", "other", "-made")).toBe("name");
  // Of the list's own order there is one other way round.
  expect(["-made", "made", "name"].map((order) => nextOrder("made", order, "-made"))).toEqual([
    "made",
    "-made",
    "made",
  ]);
});

test("rows that are all here go by a number or a text, either way, and stay as they were where they are alike", () => {
  const rows = [
    { name: "token 10", size: 9 },
    { name: "Émile", size: 100 },
    { name: "token 2", size: 9 },
  ];
  const names = (by: (row: (typeof rows)[number]) => string | number, order: string) =>
    inOrder(rows, by, order, "en").map((row) => row.name);
  expect(names((row) => row.name, "name")).toEqual(["Émile", "token 2", "token 10"]);
  expect(names((row) => row.name, "-name")).toEqual(["token 10", "token 2", "Émile"]);
  expect(names((row) => row.size, "size")).toEqual(["token 10", "token 2", "Émile"]);
  expect(names((row) => row.size, "-size")).toEqual(["Émile", "token 10", "token 2"]);
});
