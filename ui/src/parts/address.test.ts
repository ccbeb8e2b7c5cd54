import { expect, test } from "vitest";
import { asId, asText, oneOf } from "./address";

test("values of an address are texts, whatever the router made of them", () => {
  expect([asText("x"), asText(30260001), asText(true), asText(""), asText(null), asText({})]).toEqual([
    "x",
    "30260001",
    "true",
    undefined,
    undefined,
    undefined,
  ]);
});

test("an id is a positive whole number", () => {
  expect(["7", undefined, "", "-1", "0", "1.5", "x", "99999999999999999999"].map((v) => asId(v))).toEqual([
    7,
    ...Array(7).fill(undefined),
  ]);
});

test("only known values of a choice count", () => {
  expect(oneOf("lost", ["lost", "active"])).toBe("lost");
  expect(oneOf("gone", ["lost", "active"])).toBeUndefined();
});
