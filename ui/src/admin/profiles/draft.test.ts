import { describe, expect, it } from "vitest";
import { blank, bodyOf, draftOf, freeName, lifetimeOf, previewOf } from "./draft";
import { bodyOf as bodyOfSlots, draftOf as draftOfSlots, noPlan, presetOf, presets } from "./slots";

describe("a profile in its form", () => {
  it("comes back as it was", () => {
    const body = bodyOf({ ...blank, slots: ["9a"], principal: "{upn}", upn: true, dns: ["{serial}.example.org"] });
    expect(draftOf({ name: "a", builtin: false, in_use: false, ...body })).toEqual({
      ...blank,
      name: "a",
      slots: ["9a"],
      principal: "{upn}",
      upn: true,
      dns: ["{serial}.example.org"],
    });
    expect(body.sans?.map((san) => san.type)).toEqual(["upn", "krb5_principal", "email", "dns"]);
  });
  it("gets a free name as a copy, of 40 characters at most", () => {
    expect(freeName("logon", [])).toBe("logon-copy");
    expect(freeName("logon", ["logon-copy", "logon-copy-2"])).toBe("logon-copy-3");
    expect(freeName("a".repeat(40), [])).toHaveLength(40);
  });
  it("has a lifetime in words where it is of whole hours", () => {
    expect(lifetimeOf("2160h0m0s")).toEqual({ unit: "days", n: 90 });
    expect(lifetimeOf("36h")).toEqual({ unit: "hours", n: 36 });
    expect(lifetimeOf("90m")).toBeNull();
  });
});

describe("what each slot gets", () => {
  it("comes back as it was, of an organization with what it inherits", () => {
    const own = { slots: { "9a": null, "9c": "none", "9d": null, "9e": null }, plan: null };
    expect(bodyOfSlots(draftOfSlots(own))).toEqual(own);
    for (const name of ["one", "three", "inherit"] as const) {
      expect(presetOf(draftOfSlots(bodyOfSlots(presets[name])))).toBe(name);
    }
    expect(presetOf(draftOfSlots(own))).toBeUndefined();
  });
  it("has no slot in the plan that gets nothing", () => {
    const draft = { ...presets.one, "9a": "none" };
    expect(bodyOfSlots(draft).plan).toEqual([]);
    expect(noPlan(draft)).toBe(true);
    expect(noPlan(presets.inherit)).toBe(false);
  });
});

describe("what a profile's preview is asked for", () => {
  it("is the profile as its form has it, under a name that can be", () => {
    const named = (name: string) => previewOf({ ...blank, name, slots: ["9a"] });
    expect(named(" vpn ")).toEqual({ name: "vpn", ...bodyOf({ ...blank, slots: ["9a"] }) });
    expect(named("").name).toBe("preview");
    expect(named("My VPN").name).toBe("preview");
  });
});
