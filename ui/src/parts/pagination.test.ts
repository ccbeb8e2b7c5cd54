import { describe, expect, it } from "vitest";
import { reading, turned } from "./pagination";

const first = { page: 1, cursor: undefined, trail: [] };

describe("a place in the address", () => {
  it("is the first page without a cursor, whatever the number says", () => {
    expect(reading({ page: 7 }, ["a"])).toEqual(first);
  });

  it("comes back page by page, the way it went", () => {
    const second = turned(first, { next: "b" });
    const third = second && turned(second, { next: "c" });
    expect(third).toEqual({ page: 3, cursor: "c", trail: ["b"] });
    expect(third && turned(third, "previous")).toEqual(second);
    expect(second && turned(second, "previous")).toEqual(first);
    expect(turned(first, "previous")).toBeNull();
  });

  it("survives a reload, and that it was sent to somebody", () => {
    const here = { page: 3, cursor: "c", trail: ["b"] };
    expect(reading({ page: 3, after: "c" }, ["b"])).toEqual(here);
    const sent = reading({ page: 3, after: "c" }, undefined);
    expect(turned(sent, "previous")).toBeNull();
    expect(turned(sent, { next: "d" })).toEqual({ page: 4, cursor: "d", trail: ["c"] });
  });

  it("believes no number that makes no sense, and no trail of another page", () => {
    expect(reading({ page: "x", after: "c" }, undefined).page).toBeNull();
    expect(reading({ page: 1, after: "c" }, undefined).page).toBeNull();
    expect(reading({ page: 3, after: "d" }, ["b", "c"]).trail).toEqual([]);
    const unknown = reading({ after: "c" }, undefined);
    expect(turned(unknown, { next: "d" })).toEqual({ page: null, cursor: "d", trail: ["c"] });
  });
});
