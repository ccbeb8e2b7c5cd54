import type { Schema } from "../api/client";
import type { Catalogue } from "../text/en";

type Words = Catalogue["tokens"]["page"]["releases"];

/** Released is what is said of a token's releases; wrong: vault and audit log do not agree. */
export type Released = { wrong: boolean; line: string; more: string[] };

/** released says whether the audit log has each release that the vault logged. */
export function released(r: Schema<"ReleasesOnRecord">, words: Words): Released {
  const lost = r.lost > 0 ? [words.lost(r.lost, r.count)] : [];
  if (r.on_record) {
    const line = r.count === 0 ? words.none : lost.length > 0 ? words.counted(r.count) : words.whole(r.count);
    return { wrong: false, line, more: lost };
  }
  const more = [];
  if (r.missing.length > 0) more.push(words.missing(r.missing.join(", ")));
  if (r.changed.length > 0) more.push(words.changed(r.changed.join(", ")));
  if (r.damaged) more.push(words.damaged);
  return { wrong: true, line: words.lacking(r.count), more: [...more, ...lost, words.todo] };
}
