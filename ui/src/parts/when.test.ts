import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { relative, subscribe } from "./when";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("a time is told by the largest unit that it fills", () => {
  const now = Date.UTC(2026, 0, 10, 12);
  const from = (seconds: number) => relative(new Date(now + seconds * 1000), "en", now);
  expect(from(0)).toBe("just now");
  expect(from(-59)).toBe("just now");
  expect(from(59)).toBe("in less than a minute");
  expect(from(-119)).toBe("1 minute ago");
  expect(from(-7200)).toBe("2 hours ago");
  expect(from(3 * 86_400)).toBe("in 3 days");
});

test("one timer serves all who want to know of a new minute, and stops with the last", () => {
  const first = vi.fn();
  const second = vi.fn();
  const endFirst = subscribe(first);
  const endSecond = subscribe(second);
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(60_000);
  expect(first).toHaveBeenCalledTimes(1);
  expect(second).toHaveBeenCalledTimes(1);
  endFirst();
  vi.advanceTimersByTime(60_000);
  expect(first).toHaveBeenCalledTimes(1);
  expect(second).toHaveBeenCalledTimes(2);
  endSecond();
  expect(vi.getTimerCount()).toBe(0);
  const end = subscribe(first);
  vi.advanceTimersByTime(60_000);
  expect(first).toHaveBeenCalledTimes(2);
  end();
});
