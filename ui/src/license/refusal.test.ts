import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import errors from "../../../api/errors.json";
import { Problem } from "../api/problem";
import de from "../text/de";
import en from "../text/en";
import { refusalOf, wrongOf } from "./refusal";

type Sentence = { code: string; reason?: string; params: string[] };
const sentences = (Object.values(errors).flat() as Sentence[]).filter((s) => s.code?.startsWith("license_"));
const problem = (code: string, params: Record<string, unknown> = {}) =>
  new Problem(422, { code, params, detail: "the server's own words" });
const dayOf = (at: string) => `<${at}>`;

test("every refusal that the server knows has its words, with what belongs to it", () => {
  expect(sentences.length).toBeGreaterThan(10);
  for (const { code, reason, params } of sentences) {
    const values = Object.fromEntries(params.map((name) => [name, `the ${name}`]));
    for (const words of [en.license, de.license]) {
      const said = refusalOf(problem(code, { reason, ...values }), words, dayOf);
      expect(said?.title, `${code} ${reason}`).toBeTruthy();
      for (const value of Object.values(values)) expect(said?.detail).toContain(value);
      expect(said?.detail).not.toMatch(/undefined|NaN|null/);
    }
  }
});

test("what the server finds wrong with a field of a license is told in German, too", () => {
  const parser = readFileSync(new URL("../../../internal/license/file.go", import.meta.url), "utf8");
  const codes = [...parser.matchAll(/fault\.Wrongf?\(.*?, "(\w+)"/g)].map(([, code]) => code ?? "");
  expect(codes.length).toBeGreaterThan(8);
  for (const code of [...codes, "bad_name", "required"]) {
    const params = (errors.fields as Sentence[]).find((s) => s.code === code)?.params;
    expect(params, code).toBeDefined();
    const values = Object.fromEntries((params ?? []).map((name) => [name, `the ${name}`]));
    const field = { field: "license", code, params: values, message: "the server's own words" };
    const said = wrongOf(problem("license_rejected"), field, de.license);
    expect(said, code).toBeTruthy();
    for (const value of Object.values(values)) expect(said).toContain(value);
    expect(wrongOf(problem("invalid_request"), field, de.license)).toBeUndefined();
  }
});

test("a day is told as a day", () => {
  const expired = problem("license_rejected", { reason: "expired", expiry_date: "2026-01-31" });
  expect(refusalOf(expired, en.license, dayOf)?.detail).toContain("on <2026-01-31>.");
});

test("what is unknown here stays in the server's words", () => {
  expect(refusalOf(problem("license_rejected", { reason: "too_green" }), en.license, dayOf)).toBeNull();
  expect(refusalOf(problem("license_restricted"), en.license, dayOf)).toBeNull();
  expect(refusalOf(problem("not_found", { reason: "no_license" }), en.license, dayOf)).toBeNull();
});
