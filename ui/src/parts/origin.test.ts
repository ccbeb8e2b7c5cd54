import { expect, test } from "vitest";
import { listOf, Origins } from "./origin";

const at = (pathname: string, index = 0, search = {}) => ({ pathname, search, state: { __TSR_index: index } });
const back = (origins: Origins, page: string) => origins.snapshot().get(page)?.pathname;

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
  // What is reached from there leads back there, belongs to the same list, and coming back changes nothing.
  origins.moved(at("/tokens/1", 4), at("/certificates/ab", 5));
  expect(origins.snapshot().get("/certificates/ab")).toMatchObject({ pathname: "/tokens/1", index: 4 });
  expect(listOf(origins.snapshot(), "/certificates/ab")).toBe("/admin/tokens");
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
  origins.assume("/admin/tokens", "/admin/tokens");
  expect(listOf(origins.snapshot(), "/tokens/1")).toBe("/admin/tokens");
  origins.moved(at("/"), at("/tokens/1"));
  expect(origins.snapshot().get("/tokens/1")).toMatchObject({ pathname: "/" });
});

test("a way back has no circle, whatever way somebody goes", () => {
  const origins = new Origins();
  origins.moved(at("/certificates"), at("/certificates/ab"));
  origins.moved(at("/certificates/ab"), at("/tokens/1"));
  origins.moved(at("/tokens/1"), at("/certificates/cd"));
  origins.moved(at("/certificates/cd"), at("/certificates/ab"));
  expect(["/certificates/cd", "/tokens/1", "/certificates/ab"].map((page) => back(origins, page))).toEqual([
    "/tokens/1",
    "/certificates/ab",
    "/certificates",
  ]);
  // The same page, opened from another one.
  origins.moved(at("/admin/tokens"), at("/tokens/2"));
  origins.moved(at("/tokens/2"), at("/certificates/ab"));
  expect(back(origins, "/certificates/ab")).toBe("/tokens/2");
  expect(listOf(origins.snapshot(), "/tokens/1")).toBe("/admin/tokens");
});

test("a replacement belongs to its token, and the token to its list still", () => {
  const origins = new Origins();
  origins.moved(at("/admin/tokens"), at("/tokens/1"));
  origins.moved(at("/tokens/1"), at("/tokens/1/replace"));
  expect(listOf(origins.snapshot(), "/tokens/1/replace")).toBe("/admin/tokens");
  origins.moved(at("/tokens/1/replace"), at("/tokens/1"));
  expect(back(origins, "/tokens/1")).toBe("/admin/tokens");
});

test("the browser's Back opens a page from nowhere else", () => {
  const origins = new Origins();
  origins.moved(at("/admin/tokens", 3, { q: "crowd" }), at("/tokens/1", 4));
  origins.moved(at("/admin/audit", 5), at("/tokens/1", 4));
  expect(origins.snapshot().get("/tokens/1")).toMatchObject({ pathname: "/admin/tokens", index: 3 });
});

test("from the profile or after signing in, a page belongs to its list", () => {
  const origins = new Origins();
  origins.moved(at("/profile"), at("/tokens/1", 1));
  origins.moved(at("/login", 1), at("/certificates/ab", 2));
  expect(origins.snapshot().size).toBe(0);
  origins.assume("/tokens/1", "/admin/tokens");
  expect(back(origins, "/tokens/1")).toBe("/admin/tokens");
});

test("a step to the next row belongs where the row before did", () => {
  const origins = new Origins();
  origins.moved(at("/admin/tokens", 3), at("/tokens/1", 4));
  origins.keep("/tokens/2", { pathname: "/admin/tokens", search: { page: 2 }, trail: [], index: -1 });
  origins.moved(at("/tokens/1", 4), { pathname: "/tokens/2", search: {}, state: { beside: true, __TSR_index: 4 } });
  expect(origins.snapshot().get("/tokens/2")).toMatchObject({ pathname: "/admin/tokens", search: { page: 2 } });
});
