import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import de from "./de";
import en from "./en";
import { say, sayField, sayMessage } from "./say";
import type { Sentences } from "./sentences";

type Entry = { code: string; reason?: string; params: string[]; text: string };

/** Every sentence that the server and the agent may say; the server's tests hold this list to its source. */
const list = new URL("../../../api/errors.json", import.meta.url);
const errors = JSON.parse(readFileSync(list, "utf8")) as Record<"problems" | "fields" | "jobs", Entry[]>;
const idOf = ({ code, reason }: Entry) => (reason ? `${code}/${reason}` : code);

/** What a German sentence need not tell: what an API's client needs, not a person, or what it says in words of its own. */
const untold: Record<string, string[]> = { rotation_pending: ["holder", "rotation_id"] };

const lists: [string, Entry[], Sentences, Sentences][] = [
  ["sentences", [...errors.problems, ...errors.jobs], de.sentences, en.sentences],
  ["fields", errors.fields, de.fields, en.fields],
];

test.each(lists)(
  "all %s are said in German, with all that they tell, and in English",
  (_, entries, german, english) => {
    expect(entries.length).toBeGreaterThan(100);
    expect(Object.keys(german).sort()).toEqual([...new Set(entries.map(idOf))].sort());
    expect(Object.keys(german)).toEqual(expect.arrayContaining(Object.keys(english)));
    for (const entry of entries) {
      const { code, reason, params: names, text } = entry;
      const sentence = (value: (name: string) => unknown) => ({
        code,
        params: { ...(reason && { reason }), ...Object.fromEntries(names.map((name) => [name, value(name)])) },
        text,
      });
      const words = sentence((name) => `<${name}>`);
      const said = say(words, german, "de");
      const told = names.filter((name) => !untold[idOf(entry)]?.includes(name));
      for (const name of told) expect(said, idOf(entry)).toContain(`<${name}>`);
      for (const n of [0, 1, 2]) {
        expect(
          say(
            sentence(() => n),
            german,
            "de",
          ),
          idOf(entry),
        ).not.toMatch(/undefined|[{}]|^$/);
      }
      expect(said, idOf(entry)).not.toBe(text);
      const inEnglish = say(words, english, "en");
      if (english[idOf(entry)] === undefined) expect(inEnglish).toBe(text);
      else for (const name of told) expect(inEnglish, idOf(entry)).toContain(`<${name}>`);
    }
  },
);

test("what there are no words for is said in English", () => {
  const text = "Something new.";
  for (const sentence of [
    { code: "", text },
    { code: "new", text },
    { code: "missed", params: {}, text },
    { code: "conflict", params: { reason: "new" }, text },
  ]) {
    expect(say(sentence, de.sentences, "de")).toBe(text);
  }
  expect(sayField({ field: "a", code: "new", message: "is wrong" }, de.fields, "de")).toBe("is wrong");
  expect(sayField({ field: "a", code: "too_long", message: "must be shorter" }, de.fields, "de")).toBe(
    "must be shorter",
  );
});

test("what a test of the backup store found is said by its code, and in English without one", () => {
  const region = { reason: "s3_region", region: "eu-central-1" };
  const found = { code: "storage_unavailable", params: region, message: "The bucket is in another region." };
  expect(sayMessage(found, de.sentences, "de")).toMatch(/^Der Bucket ist in einer anderen Region\..*eu-central-1/);
  expect(sayMessage(found, en.sentences, "en")).toBe(found.message);
  expect(sayMessage({ message: "It is slow." }, de.sentences, "de")).toBe("It is slow.");
});

test("numbers, days, times and statuses are as the language has them", () => {
  const conflict = (params: Record<string, unknown>) => say({ code: "conflict", params, text: "" }, de.sentences, "de");
  expect(conflict({ reason: "webhooks_full", max: 10000 })).toContain("10.000 Webhooks");
  const expired = { reason: "expired", expiry_date: "2027-03-01T12:00:00Z" };
  for (const [words, language, on] of [
    [de, "de", "am 01.03.2027 abgelaufen"],
    [en, "en", "on Mar 1, 2027."],
  ] as const) {
    expect(say({ code: "license_rejected", params: expired, text: "" }, words.sentences, language)).toContain(on);
  }
  expect(conflict({ reason: "email_reserved", until: "2027-03-01" })).toContain("bis 01.03.2027.");
  expect(conflict({ reason: "status_unreachable", status: "lost", next: "active" })).toBe(
    "Ein Token, der verloren ist, kann nicht „aktiv“ werden.",
  );
  const field = { field: "role", code: "not_one_of", params: { values: ["a", "b"] }, message: "" };
  expect(sayField(field, de.fields, "de")).toBe("Möglich sind: a, b.");
});

test("what the health report says of a part is said in German", () => {
  const codes = new Set<string>();
  for (const folder of ["system", "app"].map((name) => new URL(`../../../internal/${name}/`, import.meta.url))) {
    for (const file of readdirSync(folder).filter((name) => name.endsWith(".go") && !name.endsWith("_test.go"))) {
      const text = readFileSync(new URL(file, folder), "utf8");
      for (const [, code = ""] of text.matchAll(/\bFinding\{[^{}]*?Code: "(\w+)"|\bf\.Code = "(\w+)"/g))
        codes.add(code || "license");
    }
  }
  expect(Object.keys(de.findings).sort()).toEqual(
    [...codes, "timed_out"].filter((c, i, all) => all.indexOf(c) === i).sort(),
  );
});
