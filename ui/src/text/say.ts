import type { Schema } from "../api/client";
import type { ProblemField } from "../api/problem";
import { day, exact } from "../parts/when";
import type { Sentences } from "./sentences";

/** A sentence for people: a code with params, and the English text. */
export type Sentence = Schema<"Sentence">;

/** Where a param goes: {name}, or {name:day} for the day alone of a time. */
const places = /\{(\w+)(:day)?\}/g;

const time = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;
const date = /^\d{4}-\d{2}-\d{2}$/;

/** say is a sentence in a language: in English where that has no words for it, or not all that they need. */
export function say(sentence: Sentence, words: Sentences, language: string): string {
  const { reason, ...rest } = sentence.params ?? {};
  const said = words[typeof reason === "string" ? `${sentence.code}/${reason}` : (sentence.code ?? "")];
  if (said === undefined) return sentence.text;
  const params = Object.fromEntries(Object.entries(rest).map(([name, v]) => [name, written(v, words, language)]));
  if (typeof said === "function") return said(params);
  const missing = [...said.matchAll(places)].some(([, name = ""]) => params[name] === undefined);
  if (missing) return sentence.text;
  return said.replace(places, (_, name: string, as?: string) => {
    const value = rest[name];
    return as && typeof value === "string" && time.test(value) ? day(value, language) : (params[name] ?? "");
  });
}

/** sayField says what is wrong with an input; words are those of fields. */
export function sayField(field: ProblemField, words: Sentences, language: string): string {
  return sayMessage(field, words, language);
}

/** sayMessage says a message in English that has its code beside it, if it has one. */
export function sayMessage(
  { code = "", params = {}, message }: { code?: string; params?: Sentence["params"]; message: string },
  words: Sentences,
  language: string,
): string {
  return say({ code, params, text: message }, words, language);
}

/** written is a param as a language writes it. */
function written(value: unknown, words: Sentences, language: string): string {
  if (typeof value === "number") return new Intl.NumberFormat(language).format(value);
  if (typeof value === "string") {
    if (date.test(value)) return day(`${value}T12:00:00`, language); // the same day in every zone
    return time.test(value) ? exact(value, language) : value;
  }
  if (Array.isArray(value)) return value.join(", ");
  if (isSentence(value)) return say(value, words, language);
  return String(value);
}

function isSentence(value: unknown): value is Sentence {
  return typeof value === "object" && value !== null && "text" in value && typeof value.text === "string";
}
