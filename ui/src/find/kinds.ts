import { api, ask } from "../api/client";
import { written } from "../parts/address";
import type { Count } from "../parts/count";
import { called } from "../parts/person";
import { day } from "../parts/when";
import { type Catalogue, languageNow } from "../text";

/** Place is an address of ours. */
export type Place = {
  to: string;
  params?: Record<string, string>;
  search?: Record<string, unknown>;
  state?: { wish: string };
};
type Kind = "tokens" | "people" | "certificates" | "organizations";
/** Hit is something that was found: what it is called, what tells it from others, and where it stands. */
type Hit = { key: string; name: string; hint: string; place: Place };
export type Found = {
  kind: Kind;
  hits: Hit[];
  count: Count;
  /** The list with the rest of them; null: it has no search. */
  all: Place | null;
};

const most = 5; // of each kind: whoever needs the sixth, types on or goes to the list

type May = (operation: string) => boolean;
type Page<T> = Count & { items: T[] };
type Source = {
  kind: Kind;
  needs: string;
  find: (q: string, t: Catalogue, may: May, signal: AbortSignal) => Promise<Found>;
};

function source<T>(
  kind: Kind,
  needs: string,
  fetch: (query: { q: string; limit: number }, signal: AbortSignal) => Promise<Page<T>>,
  list: (may: May) => string | null,
  hit: (row: T, t: Catalogue) => Omit<Hit, "key">,
): Source {
  return {
    kind,
    needs,
    find: async (q, t, may, signal) => {
      const { items, total, total_is_exact } = await fetch({ q, limit: most }, signal);
      const to = list(may);
      return {
        kind,
        hits: items.map((row, i) => ({ key: `${kind}-${i}`, ...hit(row, t) })),
        count: { total, total_is_exact },
        all: to === null ? null : { to, search: written({ q }) },
      };
    },
  };
}

/** sources are the lists that are looked through. The server gives each person what the role may see. */
export const sources: Source[] = [
  source(
    "tokens",
    "list-hwkeys",
    (query, signal) => ask(api.GET("/api/hwkey", { params: { query }, signal })),
    (may) => (may("register-hwkey") ? "/admin/tokens" : null),
    (token, t) => ({
      name: token.serial,
      hint: joined(token.label, token.owner && called(token.owner), t.common.status[token.status]),
      place: { to: "/tokens/$serial", params: { serial: token.serial } },
    }),
  ),
  source(
    "people",
    "list-users",
    (query, signal) => ask(api.GET("/api/admin/users", { params: { query }, signal })),
    () => "/admin/people",
    (user) => ({
      name: called(user),
      hint: joined(user.name && user.username, user.email, user.organization_name),
      place: { to: "/admin/people/$id", params: { id: String(user.id) } },
    }),
  ),
  source(
    "certificates",
    "list-certificates",
    (query, signal) => ask(api.GET("/api/certificates", { params: { query }, signal })),
    () => "/certificates",
    (c, t) => ({
      name: c.common_name,
      hint: joined(
        t.certificates.slots[c.slot],
        c.hwkey_serial,
        t.common.certificateStatus[c.status],
        day(c.not_after, languageNow()),
      ),
      place: { to: "/certificates/$serial", params: { serial: c.serial_number } },
    }),
  ),
  source(
    "organizations",
    "create-organization",
    (query, signal) => ask(api.GET("/api/admin/organizations", { params: { query }, signal })),
    () => "/admin/organizations",
    (o) => ({
      name: o.name,
      hint: o.email_domains.join(", "),
      place: { to: "/admin/organizations/$id", params: { id: String(o.id) } },
    }),
  ),
];

function joined(...parts: (string | null | undefined)[]): string {
  return parts.filter(Boolean).join(" · ");
}

/** Looked is what a search has found so far as it could look; failed: where it could not, and why. */
export type Looked = { found: Found[]; failed: { kinds: Kind[]; error: unknown } | null };

/** look asks all the lists at once. One that fails does not hide what the others found. */
export async function look(which: Source[], q: string, t: Catalogue, may: May, signal: AbortSignal): Promise<Looked> {
  const answers = await Promise.allSettled(which.map((s) => s.find(q, t, may, signal)));
  signal.throwIfAborted();
  const kinds: Kind[] = [];
  let error: unknown;
  const found = answers.flatMap((answer, i) => {
    if (answer.status === "fulfilled") return answer.value.hits.length > 0 ? [answer.value] : [];
    const source = which[i];
    if (source) kinds.push(source.kind);
    error = answer.reason;
    return [];
  });
  return { found, failed: kinds.length > 0 ? { kinds, error } : null };
}

const others: Record<string, string> = { ß: "ss", æ: "ae", ø: "o", œ: "oe", ł: "l", đ: "d", ı: "i" };
const bare = (text: string) =>
  text
    .toLowerCase()
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/[ßæøœłđı]/g, (letter) => others[letter] ?? letter);

/** spellings are how people write a word without its accents: "Müller" as muller and as mueller. */
function spellings(word: string): string[] {
  const german = word
    .toLowerCase()
    .normalize("NFC")
    .replace(/[äöüø]/g, (letter) => ({ ä: "ae", ö: "oe", ü: "ue", ø: "oe" })[letter] ?? letter);
  return [...new Set([bare(word), bare(german)])];
}

/** matches tells whether each word that was typed begins a word of a name, whatever becomes of accents and umlauts. */
export function matches(name: string, typed: string): boolean {
  const words = name.split(/[^\p{L}\p{M}\p{N}]+/u).flatMap(spellings);
  return typed
    .trim()
    .split(/\s+/)
    .every((part) => spellings(part).some((spelled) => words.some((word) => word.startsWith(spelled))));
}
