import { expect, it } from "vitest";
import { Problem, Unreachable } from "../api/problem";
import { refetchInterval } from "./refetch";

const asked = (error: Error) => ({
  state: { status: "error", error: error as Error | null, errorUpdateCount: 1, dataUpdateCount: 0 },
});

it.each([
  ["the server is away", new Unreachable("server"), 5000],
  ["it has too much to do", new Problem(503, {}), 5000],
  ["it says when", new Problem(429, {}, "30"), 30_000],
  ["a refusal", new Problem(403, {}), false],
  ["something is wrong with the page", new TypeError("x is undefined"), false],
])("%s", (_, error, when) => {
  expect(refetchInterval(asked(error))).toBe(when);
});

it("asks more seldom the longer it fails, and soon again after a success", () => {
  const query = asked(new Unreachable("server"));
  const waits = [];
  for (let i = 1; i <= 7; i++) {
    query.state.errorUpdateCount = i;
    waits.push(refetchInterval(query));
  }
  expect(waits).toEqual([5000, 10_000, 20_000, 40_000, 80_000, 120_000, 120_000]);
  Object.assign(query.state, { status: "success", error: null, dataUpdateCount: 1 });
  expect(refetchInterval(query)).toBe(false);
  Object.assign(query.state, { status: "error", error: new Unreachable("server"), errorUpdateCount: 8 });
  expect(refetchInterval(query)).toBe(5000);
});
