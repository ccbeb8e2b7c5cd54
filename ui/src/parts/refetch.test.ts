import { expect, it } from "vitest";
import { Problem, Unreachable } from "../api/problem";
import { afterFailure } from "./refetch";

it.each([
  ["the server is away", new Unreachable("server"), 5_000],
  ["it has too much to do", new Problem(503, {}), 5_000],
  ["it says when", new Problem(429, {}, "30"), 30_000],
  ["a refusal", new Problem(403, {}), false],
  ["something is wrong with the page", new TypeError("x is undefined"), false],
])("%s", (_, error, when) => {
  expect(afterFailure(error)).toBe(when);
});
