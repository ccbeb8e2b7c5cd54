import { describe, expect, it } from "vitest";
import { fitOf, likely, looked, standingOf } from "./standing";

const erin = { id: 1, username: "erin", name: "" };
const dave = { id: 2, username: "dave", name: "" };
type Token = Parameters<typeof fitOf>[0] & { enrolled_at: string | null };
const token = (serial: string, more: Partial<Token> = {}): Token =>
  ({ serial, status: "in_stock", owner: null, enrolled_at: null, ...more }) as Token;
const old = token("Ab1", { status: "active", owner: erin as Token["owner"], enrolled_at: "2026-01-01T00:00:00Z" });
const hers = { owner: erin as Token["owner"] };

describe("fitOf", () => {
  it.each([
    ["aB1", null, "same"],
    ["2", null, "unknown"],
    ["2", token("2"), "free"],
    ["2", token("2", { ...hers, status: "assigned" }), "theirs"],
    ["2", token("2", { owner: dave as Token["owner"], status: "assigned" }), "others"],
    ["2", token("2", { ...hers, status: "lost" }), "out"],
    ["2", token("2", { status: "suspended" }), "out"],
  ])("knows %s as it is on record", (serial, next, fit) => {
    expect(fitOf(old, serial, next)).toBe(fit);
  });
});

describe("standingOf", () => {
  const lost = { ...old, status: "lost" as const };
  it.each([
    [old, null, [false, false, false]],
    [lost, undefined, [true, false, false]],
    [lost, token("2"), [true, false, false]],
    [lost, token("2", { ...hers, status: "assigned" }), [true, true, false]],
    [lost, token("2", { ...hers, status: "active", enrolled_at: "2026-01-02T00:00:00Z" }), [true, true, true]],
    // Begun from the other end: the successor was handed over before the old one was reported.
    [old, token("2", { ...hers, status: "active", enrolled_at: "2026-01-02T00:00:00Z" }), [false, true, true]],
    // The old one itself is no successor, and neither is somebody else's.
    [lost, lost, [true, false, false]],
    [lost, token("2", { owner: dave as Token["owner"], status: "active", enrolled_at: "x" }), [true, false, false]],
  ])("reads what is done from the tokens (%#)", (was, next, [out, assigned, setUp]) => {
    expect(standingOf(was, next)).toEqual({ out, assigned, setUp });
  });
});

describe("likely", () => {
  const given = token("2", { ...hers, status: "assigned" });
  it.each([
    ["the only one that is still to be set up", [old, given], "2"],
    ["none of several", [given, { ...given, serial: "3" }], undefined],
    [
      "none that is set up, or out of use",
      [
        { ...given, enrolled_at: "x" },
        { ...given, status: "suspended" },
      ],
      undefined,
    ],
    ["never the old one", [{ ...old, enrolled_at: null }], undefined],
  ])("is %s", (_, theirs, serial) => {
    expect(likely(old, theirs as unknown as Parameters<typeof likely>[1])).toBe(serial);
  });
});

describe("looked", () => {
  const here = (serial: string, suits?: boolean) => ({ serial, suits });
  it("takes the token that is plugged in beside others, as soon as its record is known", () => {
    const first = looked(undefined, [here("1", true), here("2", false)]);
    expect(first.came).toBeUndefined();
    const asked = looked(first.seen, [here("1", true), here("2", false), here("3")]);
    expect(asked.came).toBeUndefined();
    const told = looked(asked.seen, [here("1", true), here("3", true)]);
    expect(told.came).toBe("3");
    expect(looked(told.seen, [here("1", true), here("3", true)]).came).toBeUndefined();
    expect(looked(told.seen, [here("2", false), here("3", true)]).came).toBeUndefined();
    const again = looked(told.seen, [here("1", true)]);
    expect(looked(again.seen, [here("1", true), here("3", true)]).came).toBe("3");
  });
});
