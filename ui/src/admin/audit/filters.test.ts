import { describe, expect, it } from "vitest";
import { count, exportPath, fromLocal, readFilters, toLocal, toQuery } from "./filters";

describe("readFilters", () => {
  it("takes what it knows", () => {
    expect(
      readFilters({
        actor: " mia ",
        action: "hwkey.",
        target: 30260010,
        outcome: "denied",
        organization: "7",
        person: 5,
        more: 1,
      }),
    ).toEqual({ actor: "mia", action: "hwkey.", target: "30260010", outcome: "denied", organization: 7, person: 5 });
  });
  it("leaves out what makes no sense", () => {
    expect(
      readFilters({
        actor: "",
        target: {},
        outcome: "maybe",
        organization: -1,
        person: "x",
        from: "soon",
        to: "0001-01-01T00:00:00Z",
      }),
    ).toEqual({});
    expect(readFilters({ action: "x".repeat(65) })).toEqual({});
  });
  it("keeps instants, whatever zone they were written in", () => {
    expect(readFilters({ from: "2026-11-21T15:00:00+01:00" })).toEqual({ from: "2026-11-21T14:00:00Z" });
  });
});

describe("count", () => {
  it("counts a period once", () => {
    expect(count({})).toBe(0);
    expect(count({ actor: "mia", from: "2026-11-21T14:00:00Z", to: "2026-11-22T14:00:00Z" })).toBe(2);
  });
});

describe("at the server", () => {
  it("has the organization's name there", () => {
    expect(toQuery({ organization: 3, outcome: "failure" })).toEqual({ organization_id: 3, outcome: "failure" });
    expect(toQuery({ person: 7 })).toEqual({ user_id: 7 });
  });
  it("escapes the export's address", () => {
    expect(exportPath({ actor: "a&b=c" }, "csv")).toBe("/api/admin/audit/export?format=csv&actor=a%26b%3Dc");
  });
});

describe("local times", () => {
  it("come back the same", () => {
    expect(fromLocal(toLocal("2026-11-21T14:05:00Z"))).toBe("2026-11-21T14:05:00Z");
    expect(toLocal(fromLocal("2026-07-01T09:30"))).toBe("2026-07-01T09:30");
  });
  it("are nothing while they are not whole", () => {
    expect(fromLocal("")).toBeUndefined();
    expect(toLocal(undefined)).toBe("");
  });
});
