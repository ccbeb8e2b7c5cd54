import type { Question } from "../flow";
import type { Catalogue } from "../text";

/** answers says what each answer to a question does: the buttons. */
export function answers(t: Catalogue, question: Question): { yes: string; no: string } {
  return t.flow.answers[question.kind];
}

/** questionText puts a question of the engine into words. */
export function questionText(t: Catalogue, question: Question): string {
  const words = t.flow.questions;
  switch (question.kind) {
    case "factory":
      return words.factory;
    case "another_try":
      return words.another_try(question.field, question.last);
    case "overwrite":
      return words.overwrite[question.reason](question.slot);
  }
}
