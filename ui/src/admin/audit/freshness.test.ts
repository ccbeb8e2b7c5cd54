import { expect, it } from "vitest";
import { freshness, type Seal } from "./freshness";

const now = Date.parse("2026-11-21T15:00:00Z");
const good: Seal = {
  former_public_keys: [],
  public_key: "b1",
  segment: 1,
  batch: 9,
  last_sealed_id: 100,
  sealed_at: "2026-11-20T15:00:00Z",
  hash: "a0",
  key_id: "4f",
  signature: "da",
  unsealed: 0,
  oldest_unsealed_at: null,
  problem: null,
};

it("is good when nothing waits, however long ago the last seal was", () => {
  expect(freshness(good, now)).toBe("good");
});
it("is late when an entry has waited for more than five minutes", () => {
  expect(freshness({ ...good, unsealed: 1, oldest_unsealed_at: "2026-11-21T14:55:01Z" }, now)).toBe("good");
  expect(freshness({ ...good, unsealed: 1, oldest_unsealed_at: "2026-11-21T14:54:59Z" }, now)).toBe("late");
});
it("tells a first start from a seal that does not come", () => {
  const first = { ...good, sealed_at: null, unsealed: 2, oldest_unsealed_at: "2026-11-21T14:59:30Z" };
  expect(freshness(first, now)).toBe("first");
  expect(freshness({ ...first, oldest_unsealed_at: "2026-11-21T14:00:00Z" }, now)).toBe("late");
});
it("puts a problem first", () => {
  expect(freshness({ ...good, problem: "cut" }, now)).toBe("problem");
});
