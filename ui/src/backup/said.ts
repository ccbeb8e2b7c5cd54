import { type Sentence, say } from "../text/say";
import type { Sentences } from "../text/sentences";
import type { Job } from "./types";

/** What a job says in a language: why it failed, what it has counted, in a few sentences, and what needs somebody. */
export function saidOf({ sentences }: Pick<Job, "sentences">, words: Sentences, language: string) {
  const all = (list: readonly Sentence[]) => list.map((s) => say(s, words, language));
  return {
    error: sentences.error_message ? say(sentences.error_message, words, language) : "",
    details: all(sentences.details).join(" "),
    warnings: all(sentences.warnings),
  };
}
