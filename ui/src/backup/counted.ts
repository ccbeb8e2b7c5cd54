import { bytes } from "../system/measure";
import type { Catalogue } from "../text";
import type { Job } from "./types";

type Words = Catalogue["backups"]["running"]["counted"];

/** counted says what a job's phase has done: "210 MB of 1.2 GB", "120,000 rows"; null: it counts nothing. */
export function counted(words: Words, progress: Job["progress"], language: string): string | null {
  if (!progress) return null;
  const { done, total, unit } = progress;
  const say = (n: number) => (unit === "bytes" ? bytes(n, language) : new Intl.NumberFormat(language).format(n));
  return words[unit](say(done), total === null ? null : say(total), total ?? done);
}
