import type { Schema } from "../api/client";
import type { Catalogue } from "../text/en";

type Lacking = Schema<"Lacking">;
type Words = Catalogue["system"]["recovery"];

/** lacking says what is missing of one kind; names are serial numbers or tokens. */
export function lacking(l: Lacking, words: Words, exact: (at: string) => string): { text: string; names: string } {
  const text = words.lacks[l.what]?.(l.count, l.at_least);
  if (!text) return { text: l.text, names: "" }; // of a later version: its own sentence has all of it
  const when =
    l.to === null ? "" : l.from === null ? words.until(exact(l.to)) : words.between(exact(l.from), exact(l.to));
  const more = l.some.length < l.count || l.at_least ? ", …" : "";
  return { text: when ? `${text}, ${when}` : text, names: l.some.length > 0 ? l.some.join(", ") + more : "" };
}
