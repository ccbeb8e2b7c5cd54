import { expect, test } from "vitest";
import { Origins } from "./origin";

const at = (pathname: string, index = 0, search = {}) => ({ pathname, search, state: { __TSR_index: index } });

test("a page of one thing belongs to the list from which it was opened, as that stood", () => {
  const origins = new Origins();
  const list = { pathname: "/admin/tokens", search: { q: "crowd", page: 2 }, state: { trail: ["a"], __TSR_index: 3 } };
  origins.moved(list, at("/tokens/1", 4));
  expect(origins.snapshot().get("/tokens/1")).toEqual({
    pathname: "/admin/tokens",
    search: { q: "crowd", page: 2 },
    trail: ["a"],
    index: 3,
  });
  // What is reached from there belongs to the same list, and coming back changes nothing.
  origins.moved(at("/tokens/1", 4), at("/certificates/ab", 5));
  expect(origins.snapshot().get("/certificates/ab")).toMatchObject({ pathname: "/admin/tokens", index: -1 });
  origins.moved(at("/certificates/ab", 5), at("/tokens/1", 6));
  expect(origins.snapshot().get("/tokens/1")).toMatchObject({ index: 3 });
  // Another list is another origin.
  origins.moved(at("/certificates", 7), at("/tokens/1", 8));
  expect(origins.snapshot().get("/tokens/1")).toMatchObject({ pathname: "/certificates", index: 7 });
});

test("an address that was typed belongs where its page says, until it is opened from a list", () => {
  const origins = new Origins();
  origins.moved(undefined, at("/tokens/1"));
  expect(origins.snapshot().size).toBe(0);
  origins.assume("/tokens/1", "/admin/tokens");
  origins.assume("/tokens/1", "/tokens");
  expect(origins.snapshot().get("/tokens/1")).toMatchObject({ pathname: "/admin/tokens" });
  origins.moved(at("/"), at("/tokens/1"));
  expect(origins.snapshot().get("/tokens/1")).toMatchObject({ pathname: "/" });
});
