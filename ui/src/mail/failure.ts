import { isProblem } from "../api/problem";
import type { Catalogue } from "../text";

/** What went wrong, what to do about it, and the code that the mail server answered with, where there is one. */
type Failure = { what: string; todo: string; reply: string };

type Words = Catalogue["mail"];

/** failureOf puts a class of errors into words; one without words is shown by its name. */
export function failureOf(error: string, reply: string, words: Words): Failure {
  const all: Record<string, { what: string; todo?: string }> = { ...words.errors, ...words.drops };
  const known = Object.hasOwn(all, error) ? all[error] : undefined;
  return { what: known?.what ?? error, todo: known?.todo ?? "", reply: reply ? words.reply(reply) : "" };
}

/** refusedBy reads from an error why the mail server did not take a message; null: it is about something else. */
export function refusedBy(problem: unknown, words: Words): Failure | null {
  if (!isProblem(problem, "mail_failed")) return null;
  const { reason, reply } = problem.params;
  if (typeof reason !== "string" || !Object.hasOwn(words.errors, reason)) {
    return { what: problem.detail, todo: "", reply: "" };
  }
  return failureOf(reason, typeof reply === "string" ? reply : "", words);
}

/** kindName is what a message is about; a kind without words is shown by its name. */
export function kindName(kind: string, words: Words): string {
  return (Object.hasOwn(words.kinds, kind) ? words.kinds[kind] : undefined) ?? kind;
}
