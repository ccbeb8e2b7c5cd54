import { expect, test } from "vitest";
import { ahead, fewer, months } from "./ahead";

const now = Date.parse("2026-11-21T12:00:00Z");

test("a week stands where it is, and one in which nothing ends does not", () => {
  const week = (start: string, count: number) => ({ start: new Date(`${start}T00:00:00Z`), count });
  const marks = ahead(
    [week("2026-11-16", 3), week("2026-11-23", 0), week("2027-04-26", 2), week("2027-11-15", 1)],
    now,
  );
  expect(marks.map((m) => [m.week.count, m.soon])).toEqual([
    [3, true],
    [2, false],
    [1, false],
  ]);
  expect(marks[0]?.place).toBe(0);
  expect(marks[1]?.place).toBeCloseTo(0.44, 1);
  expect(marks[2]?.place).toBeLessThanOrEqual(1);
});

test("four weeks each stand together where 52 have no room", () => {
  const mark = (place: number, soon: boolean, count: number) => ({
    place,
    soon,
    week: { start: new Date(now), count },
  });
  const few = fewer([mark(0, true, 3), mark(0.02, false, 4), mark(0.5, false, 2), mark(1, false, 1)]);
  expect(few.map((m) => [m.week.count, m.soon])).toEqual([
    [7, true],
    [2, false],
    [1, false],
  ]);
  expect(few.every((m, i) => i === 0 || m.place > (few[i - 1]?.place ?? 1))).toBe(true);
  expect(few[2]?.place).toBeLessThan(1);
});

test("the line has its months", () => {
  const line = months(now);
  expect(line).toHaveLength(12);
  expect(line[0]?.place).toBeGreaterThan(0);
  expect(line.every((m, i) => i === 0 || m.place > (line[i - 1]?.place ?? 1))).toBe(true);
});
