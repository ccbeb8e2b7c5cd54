import type { Schema } from "../api/client";
import { exact } from "../parts/when";
import type { Sentences } from "../text/sentences";
import type { Job } from "./types";

/** A sentence for people: a code with params, and the English text. */
export type Sentence = Schema<"Sentence">;

/** say is a sentence in a language: in English where that has no words for it, or not all that they need. */
export function say(sentence: Sentence, words: Sentences, language: string): string {
  const { reason, ...rest } = sentence.params ?? {};
  const said = words[typeof reason === "string" ? `${sentence.code}/${reason}` : sentence.code];
  if (said === undefined) return sentence.text;
  const params = Object.fromEntries(Object.entries(rest).map(([name, v]) => [name, written(v, words, language)]));
  if (typeof said === "function") return said(params);
  const missing = [...said.matchAll(/\{(\w+)\}/g)].some(([, name = ""]) => params[name] === undefined);
  return missing ? sentence.text : said.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? "");
}

const time = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;

/** written is a param as a language writes it. */
function written(value: unknown, words: Sentences, language: string): string {
  if (typeof value === "number") return new Intl.NumberFormat(language).format(value);
  if (typeof value === "string") return time.test(value) ? exact(value, language) : value;
  if (Array.isArray(value)) return value.join(", ");
  if (isSentence(value)) return say(value, words, language);
  return String(value);
}

function isSentence(value: unknown): value is Sentence {
  return typeof value === "object" && value !== null && "text" in value && typeof value.text === "string";
}

/** What a job says in a language: why it failed, what it has counted, in one line, and what needs somebody. */
export function saidOf({ sentences }: Pick<Job, "sentences">, words: Sentences, language: string) {
  const all = (list: readonly Sentence[]) => list.map((s) => say(s, words, language));
  return {
    error: sentences.error_message ? say(sentences.error_message, words, language) : "",
    details: all(sentences.details)
      .map((text) => text.replace(/\.$/, ""))
      .join("; "),
    warnings: all(sentences.warnings),
  };
}
