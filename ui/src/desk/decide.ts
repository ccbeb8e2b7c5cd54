import type { Schema } from "../api/client";

type Person = Schema<"User">;

/** Decision is what somebody means who pressed Enter. */
export type Decision =
  | { kind: "person"; person: Person }
  | { kind: "token"; serial: string }
  | { kind: "several"; people: readonly Person[] }
  | { kind: "nobody" };

type Found = {
  /** Serial numbers in the queue and in this computer. */
  here: readonly string[];
  people: readonly Person[];
  /** The serial number of the token on record that was typed, if there is one. */
  recorded: string | undefined;
};

/** A serial number as it stands on a token that nobody has registered yet. */
const serialLike = /^\d{6,}$/;

/** decide takes what was typed or scanned as a token or a person; only one that can be meant is taken. */
export function decide(typed: string, { here, people, recorded }: Found): Decision {
  const same = (other: string) => other.toLowerCase() === typed.toLowerCase();
  const near = here.find(same);
  if (near) return { kind: "token", serial: near };
  const exact = people.filter((p) => same(p.username) || same(p.email));
  const [only, ...more] = exact.length > 0 ? exact : people;
  if (exact.length === 1 && only) return { kind: "person", person: only };
  if (recorded) return { kind: "token", serial: recorded };
  if (only) return more.length > 0 ? { kind: "several", people } : { kind: "person", person: only };
  return serialLike.test(typed) ? { kind: "token", serial: typed } : { kind: "nobody" };
}
