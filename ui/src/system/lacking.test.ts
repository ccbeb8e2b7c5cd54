import { expect, test } from "vitest";
import { system } from "../text/en/system";
import { lacking } from "./lacking";

const words = system.recovery;
const one = {
  what: "secrets",
  count: 3,
  at_least: false,
  some: ["10000", "10001"],
  from: null,
  to: null,
  text: "all of it",
};
const year = (at: string) => at.slice(0, 4);

test("what is missing is said in the person's language, with the first names", () => {
  expect(lacking(one, words, year)).toEqual({
    text: "The current secrets of at least 3 tokens",
    names: "10000, 10001, …",
  });
  expect(lacking({ ...one, count: 2 }, words, year).names).toBe("10000, 10001");
  expect(lacking({ ...one, what: "epochs", count: 1, some: [] }, words, year)).toEqual({
    text: "The latest state: it is one step behind (a step is ten minutes, or a start or stop of a server)",
    names: "",
  });
});

test("what was found bit by bit is at least that", () => {
  const found = { ...one, what: "revocations", count: 2, at_least: true };
  expect(lacking(found, words, year)).toEqual({
    text: "At least 2 revocations, which were published again",
    names: "10000, 10001, …",
  });
});

test("from when and until when", () => {
  const to = "2026-03-01T12:00:00Z";
  expect(lacking({ ...one, to }, words, year).text).toBe("The current secrets of at least 3 tokens, up to 2026");
  const from = "2025-03-01T12:00:00Z";
  expect(lacking({ ...one, from, to }, words, year).text).toBe(
    "The current secrets of at least 3 tokens, from 2025 to 2026",
  );
});

test("what a later version knows is said in its own words", () => {
  expect(lacking({ ...one, what: "moons" }, words, year)).toEqual({ text: "all of it", names: "" });
});
