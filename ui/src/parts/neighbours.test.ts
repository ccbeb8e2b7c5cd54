import { expect, test } from "vitest";
import { neighbour, type Walk, walkOf } from "./neighbours";

const pages: Record<string, string[]> = { "": ["a", "b"], c2: ["c", "d"], c3: ["e"] };
const after: Record<string, string | null> = { "": "c2", c2: "c3", c3: null };

const rows = (cursor = "") => ({ items: pages[cursor] ?? [], next_cursor: after[cursor] ?? null });
const list = {
  pathname: "/list",
  search: { q: "x" },
  where: { page: 1, cursor: undefined, trail: [] },
  size: 2,
  fetch: async (cursor: string | undefined) => rows(cursor),
  path: (row: string) => `/one/${row}`,
};

const step = async (walk: Walk, path: string, by: "previous" | "next") => {
  const to = await neighbour(walk, path, by)?.();
  if (!to) throw new Error(`nothing ${by} of ${path}`);
  return to;
};

test("whoever goes on comes by every row, and back again, from page to page", async () => {
  let at = { path: "/one/a", walk: walkOf(list, rows()) };
  const seen = [at.path];
  for (let i = 0; i < 4; i++) {
    at = await step(at.walk, at.path, "next");
    seen.push(at.path);
  }
  expect(seen).toEqual(["/one/a", "/one/b", "/one/c", "/one/d", "/one/e"]);
  expect(neighbour(at.walk, at.path, "next")).toBeNull();
  expect(at.walk.at).toEqual({
    pathname: "/list",
    search: { q: "x", page: 3, after: "c3", rows: 2 },
    trail: ["c2"],
  });
  const back: string[] = [];
  for (let i = 0; i < 4; i++) {
    at = await step(at.walk, at.path, "previous");
    back.push(at.path);
  }
  expect(back).toEqual(["/one/d", "/one/c", "/one/b", "/one/a"]);
  expect(neighbour(at.walk, at.path, "previous")).toBeNull();
  expect(at.walk.at).toEqual({ pathname: "/list", search: { q: "x", rows: 2 }, trail: [] });
});

test("what is in no list has nothing beside it", () => {
  expect(neighbour(walkOf(list, rows()), "/one/z", "next")).toBeNull();
});
