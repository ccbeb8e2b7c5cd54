import { describe, expect, it } from "vitest";
import type { Device } from "../token/next";
import { added, belongs, marked, read, stateOf, without } from "./queue";

describe("the queue", () => {
  it("takes what a browser kept, and nothing else of it", () => {
    const kept = [{ serial: "1", pin: "123456", failed: true }, { serial: "2" }, { serial: "1" }, null, {}, "3"];
    expect(read(kept)).toEqual([{ serial: "1", failed: true }, { serial: "2" }]);
    expect(read("{}")).toEqual([]);
  });

  it("has each token once, the last one in front", () => {
    const queue = added(added([], "ab1"), "2");
    expect(queue).toEqual([{ serial: "2" }, { serial: "ab1" }]);
    expect(read(added([], "1", true))).toEqual([{ serial: "1", before: true }]);
    expect(added(queue, "AB1")).toBe(queue);
    expect(without(queue, ["AB1"])).toEqual([{ serial: "2" }]);
    expect(Array.from({ length: 300 }, (_, i) => `${i}`).reduce((all, one) => added(all, one), queue)).toHaveLength(
      200,
    );
  });

  it("notes what stopped until it goes on", () => {
    const stopped = marked([{ serial: "1" }], "1", true);
    expect(stopped).toEqual([{ serial: "1", failed: true }]);
    expect(marked(stopped, "1", false)).toEqual([{ serial: "1" }]);
  });
});

const at = (changed: string | null, pending = false) => ({
  version: 1,
  rotation_pending: pending,
  changed_at: changed,
});
const device = (more: object) =>
  ({
    serial: "1",
    status: "assigned",
    owner: { id: 1, username: "erin" },
    enrolled_at: null,
    secrets: at(null),
    ...more,
  }) as Device;
const set = { status: "active", enrolled_at: "2026-01-01T00:00:00Z" };
const idle = { plugged: false, running: false, failed: false, before: false };

describe("stateOf", () => {
  it.each([
    ["name", null, idle],
    ["name", device({ status: "in_stock", owner: null }), idle],
    ["away", device({}), idle],
    ["ready", device({}), { ...idle, plugged: true }],
    ["running", device({}), { ...idle, plugged: true, running: true }],
    ["failed", device({}), { ...idle, plugged: true, failed: true }],
    ["out", device({ status: "lost" }), { ...idle, failed: true }],
    ["done", device(set), { ...idle, failed: true }],
    ["pin", device({ ...set, secrets: at("2026-01-02T00:00:00Z", true) }), idle],
    ["before", device(set), { ...idle, before: true }],
    ["whole", device({ ...set, secrets: at("2026-01-02T00:00:00Z") }), idle],
  ])("is %s (%#)", (state, record, now) => {
    expect(stateOf(record, now)).toBe(state);
  });

  it("puts in the queue what is still to be set up", () => {
    expect([null, device({}), device({ owner: null, status: "in_stock" })].map(belongs)).toEqual([true, true, true]);
    expect([device(set), device({ status: "lost" }), device({ ...set, owner: null })].map(belongs)).toEqual([
      false,
      false,
      false,
    ]);
  });
});
