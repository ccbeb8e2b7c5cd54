import { describe, expect, it } from "vitest";
import { audit as german } from "../../text/de/audit";
import { audit as english } from "../../text/en/audit";
import { actorName, choices, matches, phrase, targetType } from "./actions";

describe("actions", () => {
  it("all stand in a group that the filter offers", () => {
    for (const words of [english, german]) {
      const offered = choices(words).flatMap((c) => c.items);
      expect(Object.keys(words.actions).filter((a) => !offered.includes(a))).toEqual([]);
    }
  });
  it("have words, and none that are inherited", () => {
    expect(phrase(english, "hwkey.reset")).toBe("Token reset");
    expect(phrase(english, "hwkey.")).toBe("Tokens and secrets");
    expect(phrase(english, "comet.seen")).toBeUndefined();
    expect(phrase(english, "constructor")).toBeUndefined();
    expect(targetType(english, "toString")).toBe("toString");
  });
  it("are found by either", () => {
    expect(matches(english, "auth.login", "SIGN")).toBe(true);
    expect(matches(english, "auth.login", "auth.")).toBe(true);
    expect(matches(english, "auth.login", "token")).toBe(false);
  });
});

describe("actorName", () => {
  it("names keys and Keyward itself", () => {
    expect(actorName(english, "system")).toBe("Keyward itself");
    expect(actorName(english, "api-key:ci")).toBe("API key ci");
    expect(actorName(english, "mia")).toBe("mia");
  });
});
