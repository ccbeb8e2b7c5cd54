import { expect, test } from "vitest";
import { Problem, Unreachable } from "../api/problem";
import { pause } from "./pause";

test("failed looks come ever more seldom, and not before the server allows", () => {
  const lost = new Unreachable("server");
  expect([1, 2, 3, 7, 99].map((times) => pause(lost, times))).toEqual([5_000, 10_000, 20_000, 300_000, 300_000]);
  expect(pause(new Problem(429, {}, "60"), 1)).toBe(60_000);
  expect(pause(new Problem(503, {}, "1"), 2)).toBe(10_000);
});
