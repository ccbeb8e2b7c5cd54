import { describe, expect, it } from "vitest";
import de from "../text/de";
import en from "../text/en";
import { found } from "./actions";

const all = () => true;
const keys = (typed: string, may: (operation: string) => boolean = all, t = en) =>
  found(typed, t, may, "user", undefined).map((a) => a.key);

describe("found", () => {
  it.each([
    ["unblock", "action-unblock"],
    ["PIN ändern", "action-change_pin"],
    ["pin aendern", "action-change_pin"],
    ["lost", "action-lost"],
    ["verloren", "action-lost"],
    ["backup now", "action-backup"],
    ["jetzt sichern", "action-backup"],
  ])("knows %j in either language", (typed, key) => {
    expect(keys(typed)).toContain(key);
    expect(keys(typed, all, de)).toContain(key);
  });

  it("offers what the person may do, and nothing before something is typed", () => {
    expect(keys("backup", (operation) => operation !== "trigger-backup")).not.toContain("action-backup");
    expect(keys(" ")).toEqual([]);
  });

  it("leads to the one token that can be meant, and asks for nothing by the address", () => {
    const [token] = found("unblock", en, all, "user", "20260001");
    expect(token?.place).toEqual({
      to: "/tokens/$serial",
      params: { serial: "20260001" },
      state: { wish: "unblock" },
    });
    expect(found("unblock", en, all, "user", undefined)[0]?.place.to).toBe("/tokens");
  });
});
