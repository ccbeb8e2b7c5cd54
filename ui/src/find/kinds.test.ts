import { describe, expect, it } from "vitest";
import en from "../text/en";
import { type Found, look, matches } from "./kinds";

describe("matches", () => {
  it.each([
    ["Audit", "au", true],
    ["API keys", "keys", true],
    ["API keys", "key api", true],
    ["Übersicht", "uber", true],
    ["Übersicht", "ueber", true],
    ["Müller", "mül", true],
    ["Mueller", "mül", true],
    ["Straße", "strasse", true],
    ["Strasse", "straß", true],
    ["José Łukasz", "jose luk", true],
    ["Sørensen", "soe", true],
    ["Tokens", "okens", false],
    ["Tokens", "", true],
  ])("%s by %j: %s", (name, typed, expected) => {
    expect(matches(name, typed)).toBe(expected);
  });
});

describe("look", () => {
  const some = (kind: Found["kind"], hits: number): Found => ({
    kind,
    hits: Array.from({ length: hits }, (_, i) => ({ key: `${kind}-${i}`, name: "x", hint: "", place: { to: "/" } })),
    count: { total: hits, total_is_exact: true },
    all: null,
  });
  const from = (kind: Found["kind"], answer: () => Promise<Found>) => ({ kind, needs: "", find: answer });
  const { signal } = new AbortController();
  const may = () => true;

  it("gives what was found, and names where it could not look", async () => {
    const lost = new Error("lost");
    const looked = await look(
      [
        from("tokens", async () => some("tokens", 2)),
        from("people", () => Promise.reject(lost)),
        from("certificates", async () => some("certificates", 0)),
      ],
      "x",
      en,
      may,
      signal,
    );
    expect(looked.found.map((f) => f.kind)).toEqual(["tokens"]);
    expect(looked.failed).toEqual({ kinds: ["people"], error: lost });
  });

  it("gives nothing once nobody waits for it", async () => {
    const leaving = new AbortController();
    leaving.abort();
    await expect(look([], "x", en, may, leaving.signal)).rejects.toThrow();
  });
});
