import { type Problem, type ProblemField, within } from "../api/problem";
import type { Catalogue } from "../text";
import { type Sentence, say, sayField, sayMessage } from "../text/say";

/** What is said of one input: what a form calls it, or else its name in the API, and the text that follows that. */
type FieldSaid = { name: string; label: string | undefined; joint: ": " | " "; text: string };

/** What a person is told of a problem. */
export type Told = {
  title: string | undefined;
  /** Empty where the fields say all. */
  detail: string;
  fields: FieldSaid[];
};

/** What these say repeats their fields. */
const ofFields = ["invalid_request", "password_policy"];

/**
 * told is what there is to say of a problem, in a language, besides what stands below the shown fields of a form;
 * null when that is all of it.
 */
export function told(problem: Problem, t: Catalogue, language: string, shown: readonly string[] = []): Told | null {
  const left = problem.fields.filter((f) => !shown.some((name) => within(name, f.field)));
  if (problem.fields.length > 0 && left.length === 0) return null;
  const { code, params } = problem;
  const said = say({ code, params, text: problem.detail }, t.sentences, language);
  const wait =
    problem.retryAfter !== null && problem.retryAfter > 0 ? ` ${t.common.problem.wait(problem.retryAfter)}` : "";
  return {
    title: t.common.problem.titles[`${code}/${params.reason}`] ?? t.common.problem.titles[code],
    detail: left.length > 0 && ofFields.includes(code) ? "" : said + wait,
    fields: left.map((f) => fieldSaid(f, t, language)),
  };
}

/** fieldSaid is what is wrong with an input, for where it does not stand below it. */
function fieldSaid(field: ProblemField, t: Catalogue, language: string): FieldSaid {
  const label = t.labels[field.field.replace(/\[.*/, "")];
  const text = sayField(field, t.fields, language);
  const fragment = text === field.message; // the server's, which goes on after the input's name
  return { name: field.field, label, joint: fragment ? " " : ": ", text: fragment ? `${text}.` : text };
}

/** below is what is wrong with an input, for where it stands below it: a sentence of its own. */
export function below(field: ProblemField, t: Catalogue, language: string): string {
  const { name, label, joint, text } = fieldSaid(field, t, language);
  return joint === ": " ? text : `${label ?? name}${joint}${text}`;
}

/** Found is what is wrong with something that was looked at: no problem of a request, but said like one. */
type Found = { code?: string; params?: Sentence["params"]; message: string; errors?: readonly ProblemField[] };

/** foundSaid is what was found, in a language: what is wrong with settings by their labels, or else its sentence. */
export function foundSaid({ errors = [], ...found }: Found, t: Catalogue, language: string): string {
  if (errors.length === 0) return sayMessage(found, t.sentences, language);
  return inOne({ title: undefined, detail: "", fields: errors.map((f) => fieldSaid(f, t, language)) });
}

/** inOne is all of it in one text. */
export function inOne({ detail, fields }: Told): string {
  return [detail, ...fields.map(({ name, label, joint, text }) => `${label ?? name}${joint}${text}`)]
    .filter(Boolean)
    .join(" ");
}
