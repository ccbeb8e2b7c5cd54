import { describe, expect, it } from "vitest";
import { activityOf, busyOnCard, lit, stagesOf } from "./activity";

describe("stagesOf", () => {
  it("ends a set-up with the person's own PIN", () => {
    expect(stagesOf({ what: "setup" }).slice(-2)).toEqual(["your_pin", "ready"]);
    expect(stagesOf({ what: "setup" }).filter((s) => s === "ready")).toHaveLength(1);
  });
  it("shows the engine's steps of every other flow", () => {
    expect(stagesOf({ what: "unblock" })).not.toContain("your_pin");
    expect(stagesOf({ what: "certificate" }).at(-1)).toBe("ready");
  });
});

describe("activityOf", () => {
  it("moves the part that is at work", () => {
    expect(activityOf({ step: "probe", stage: "puk", field: "puk" }, "9a")).toEqual({ part: "puk" });
    expect(activityOf({ step: "key", stage: "key", touch: true }, "9c")).toEqual({
      part: "slot",
      slot: "9c",
      touch: true,
    });
    expect(activityOf({ step: "import", stage: "import" }, "9d")).toEqual({ part: "in", slot: "9d" });
  });
});

describe("busyOnCard", () => {
  it("warns only while the card may change", () => {
    expect(busyOnCard({ step: "import", stage: "import" })).toBe(true);
    expect(busyOnCard({ step: "sign", stage: "sign" })).toBe(false);
  });
});

describe("lit", () => {
  const views = [
    { slot: "9a" as const, light: "empty" as const, recorded: false, onCard: false, begun: false, missing: false },
  ];
  const lightAt = (at: Parameters<typeof lit>[3]) => lit(views, "9a", stagesOf({ what: "setup" }), at)[0]?.light;
  it("lights the slot as the flow goes on", () => {
    expect(lightAt(null)).toBe("empty");
    expect(lightAt("key")).toBe("empty");
    expect(lightAt("sign")).toBe("key");
    expect(lightAt("your_pin")).toBe("valid");
  });
  it("empties the card after its reset", () => {
    expect(
      lit(
        [{ slot: "9a", light: "valid", recorded: true, onCard: true, begun: false, missing: false }],
        "9a",
        stagesOf({ what: "reset" }),
        "ready",
      )[0]?.light,
    ).toBe("empty");
  });
});
