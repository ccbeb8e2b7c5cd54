import { describe, expect, it } from "vitest";
import type { Schema } from "../api/client";
import { decide } from "./decide";

const person = (username: string) => ({ id: 1, username, email: `${username}@acme.example` }) as Schema<"User">;
const erin = person("erin");
const erina = person("erina");
const nothing = { here: [], people: [], recorded: undefined };

describe("decide", () => {
  it.each([
    ["the only hit", "eri", { ...nothing, people: [erin] }, { kind: "person", person: erin }],
    ["nobody of several", "eri", { ...nothing, people: [erin, erina] }, { kind: "several", people: [erin, erina] }],
    ["whose username it is", "ERIN", { ...nothing, people: [erina, erin] }, { kind: "person", person: erin }],
    ["whose address it is", "erin@acme.example", { ...nothing, people: [erin] }, { kind: "person", person: erin }],
    ["a token that is here", "ab1", { ...nothing, here: ["AB1"], people: [erin] }, { kind: "token", serial: "AB1" }],
    [
      "one on record",
      "2026",
      { ...nothing, recorded: "2026", people: [erin, erina] },
      { kind: "token", serial: "2026" },
    ],
    ["a new one by its number", "20260009", nothing, { kind: "token", serial: "20260009" }],
    ["a person rather than a new one", "20260009", { ...nothing, people: [erin] }, { kind: "person", person: erin }],
    ["nobody", "nobody", nothing, { kind: "nobody" }],
  ])("takes %s", (_, typed, found, decision) => {
    expect(decide(typed, found)).toEqual(decision);
  });
});
