import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Cancelled, Line } from "./line";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** fates joins a line several times, and notes how each time ends. */
function fates(line: Line, count: number): string[] {
  const ends: string[] = Array(count).fill("waits");
  for (let i = 0; i < count; i++) {
    line.join().then(
      () => {
        ends[i] = "goes on";
      },
      (error) => {
        ends[i] = error instanceof Cancelled ? "cancelled" : "failed";
      },
    );
  }
  return ends;
}

test("all who wait get the one answer", async () => {
  const line = new Line();
  const first = fates(line, 3);
  expect(line.waiting).toBe(true);
  line.admit();
  expect(line.waiting).toBe(false);
  await vi.runAllTimersAsync();
  expect(first).toEqual(["goes on", "goes on", "goes on"]);
  const second = fates(line, 2);
  line.dismiss();
  await vi.runAllTimersAsync();
  expect(second).toEqual(["cancelled", "cancelled"]);
});

test("a no is told when its event is over, and not to whoever asks meanwhile", async () => {
  const line = new Line();
  const before = fates(line, 1);
  line.dismiss();
  const after = fates(line, 1);
  for (let i = 0; i < 5; i++) await Promise.resolve();
  expect(before).toEqual(["waits"]);
  await vi.runAllTimersAsync();
  expect(before).toEqual(["cancelled"]);
  expect(after).toEqual(["waits"]);
  line.admit();
  await vi.runAllTimersAsync();
  expect(after).toEqual(["goes on"]);
});
