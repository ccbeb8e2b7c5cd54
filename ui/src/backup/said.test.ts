import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import de from "../text/de";
import en from "../text/en";
import { saidOf, say } from "./said";

type Entry = { code: string; reason?: string; params: string[]; text: string };

/** Every sentence that a job may say; the server's tests hold this list to its source. */
const list = new URL("../../../api/errors.json", import.meta.url);
const { jobs } = JSON.parse(readFileSync(list, "utf8")) as { jobs: Entry[] };
const idOf = ({ code, reason }: Entry) => (reason ? `${code}/${reason}` : code);

test("every sentence of a job is said in German, with all that it tells, and in English", () => {
  expect(jobs.length).toBeGreaterThan(100);
  expect(Object.keys(de.jobs).sort()).toEqual(jobs.map(idOf).sort());
  for (const entry of jobs) {
    const { code, reason, params: names, text } = entry;
    const sentence = (value: (name: string) => unknown) => ({
      code,
      params: { reason, ...Object.fromEntries(names.map((name) => [name, value(name)])) },
      text,
    });
    const words = sentence((name) => `<${name}>`);
    const said = say(words, de.jobs, "de");
    for (const name of names.filter((n) => n !== "type")) expect(said, idOf(entry)).toContain(`<${name}>`);
    for (const n of [0, 1, 2]) {
      expect(
        say(
          sentence(() => n),
          de.jobs,
          "de",
        ),
        idOf(entry),
      ).not.toMatch(/undefined|[{}]|^$/);
    }
    expect(said).not.toBe(text);
    expect(say(words, en.jobs, "en")).toBe(text);
  }
});

test("what there are no words for is said in English", () => {
  const text = "Something new.";
  for (const sentence of [
    { code: "", text },
    { code: "new", text },
    { code: "missed", params: {}, text },
  ]) {
    expect(say(sentence, de.jobs, "de")).toBe(text);
  }
});

test("a sentence inside another, numbers and times are as the language has them", () => {
  const what = { code: "server_stopped", text: "The server was stopped while the job ran." };
  const todo = { code: "new", text: "Do this." };
  const at = "2026-11-23T02:00:00Z";
  const sentences = {
    error_message: { code: "happened", params: { what, todo }, text: `${what.text} ${todo.text}` },
    details: [
      { code: "restored", params: { type: "full", at }, text: `a full backup of ${at}` },
      { code: "restored_rows", params: { rows: 12345 }, text: "12345 rows" },
      { code: "", text: "And so on." },
    ],
    warnings: [{ code: "documents_failed", params: { documents: 1, paths: ["a"] }, text: "1 documents: a" }],
  };
  const told = saidOf({ sentences }, de.jobs, "de");
  expect(told.error).toBe("Der Server wurde beendet, während der Auftrag lief. Do this.");
  expect(told.details).toMatch(/^eine vollständige Sicherung vom \d+\.11\.2026, .*; 12\.345 Zeilen; And so on$/);
  expect(told.warnings).toEqual(["1 Dokument des Tresors ließ sich nicht wiederherstellen: a"]);
  expect(saidOf({ sentences }, en.jobs, "en").details).toBe(`a full backup of ${at}; 12345 rows; And so on`);
  expect(saidOf({ sentences: { details: [], warnings: [] } }, de.jobs, "de").error).toBe("");
});
