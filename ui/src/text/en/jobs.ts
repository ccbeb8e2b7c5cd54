import type { Sentences } from "../sentences";

/** What backup jobs say: the server says it in English. */
export const jobs: Sentences = {};
