import { useLanguage, useText } from "../text";
import { saidOf } from "./said";
import type { Job } from "./types";

/** useSaid is what a job says, in the person's language. */
export function useSaid(job: Job) {
  return saidOf(job, useText().sentences, useLanguage());
}
