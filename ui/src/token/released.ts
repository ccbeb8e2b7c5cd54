import type { Schema } from "../api/client";
import type { Catalogue } from "../text/en";

type Words = Catalogue["tokens"]["page"]["releases"];

/** Released is what is said of a token's releases; wrong: something is not on record. */
export type Released = { wrong: false; line: string } | { wrong: true; line: string; more: string[] };

/** released says whether the audit log has each release that the vault took down. */
export function released(r: Schema<"ReleasesOnRecord">, words: Words): Released {
  if (r.on_record) return { wrong: false, line: r.count === 0 ? words.none : words.whole(r.count) };
  const more = [];
  if (r.missing.length > 0) more.push(words.missing(r.missing.join(", ")));
  if (r.changed.length > 0) more.push(words.changed(r.changed.join(", ")));
  if (r.damaged) more.push(words.damaged);
  return { wrong: true, line: words.lacking(r.count), more: [...more, words.todo] };
}
