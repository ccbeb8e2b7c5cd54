import type { Catalogue } from "../text";
import type { Outcome } from "./types";

/** outcomeText says what an outcome means, for the secret that it is about. */
export function outcomeText(words: Catalogue["flow"], outcome: Outcome): string {
  const about = outcome.field && words.fieldOutcomes[outcome.code]?.[outcome.field];
  const text = about ?? words.outcomes[outcome.code];
  return outcome.retriesLeft === null ? text : `${text} ${words.triesLeft(outcome.retriesLeft)}`;
}

/** reasonText says what stands in the way of a certificate; a code without words stands for itself. */
export function reasonText(words: Catalogue["flow"], code: string): string {
  return words.reasons[code] ?? code;
}
