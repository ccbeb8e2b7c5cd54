import { useSyncExternalStore } from "react";
import type { Catalogue } from "./en";
import type { First } from "./en/first";
import type { Rest } from "./en/rest";
import { localeOf } from "./locale";

/** The languages: each is a catalogue of the same shape as English. */
export const languages = { en: "English", de: "Deutsch" } as const;
export type Language = keyof typeof languages;

/** A language is two files: what every visit begins with, and the rest, which comes with the frame. */
const load: Record<Language, { first: () => Promise<{ default: First }>; rest: () => Promise<{ default: Rest }> }> = {
  en: { first: () => import("./en/first"), rest: () => import("./en/rest") },
  de: { first: () => import("./de/first"), rest: () => import("./de/rest") },
};

/** What can be asked for before the rest is there; until then, problems are said as the server does. */
const until: Pick<Rest, "fields" | "labels" | "sentences"> = { fields: {}, labels: {}, sentences: {} } as never;

/** Where this browser remembers a language: one that somebody chose here, and the one of the last person who did not. */
const storageKeys = { chosen: "keyward-language", person: "keyward-language-person" } as const;
let catalogue: Catalogue | null = null;
let present: Language = "en";
let locale = "en";
let complete = false; // whether the rest is in it
const listeners = new Set<() => void>();

/** preferred is the stored choice, else the last person's, else the browser's first language that there is. */
export function preferred(): Language {
  const stored = chosenHere() ?? stands("person");
  if (stored) return stored;
  for (const tag of navigator.languages) {
    const base = tag.slice(0, 2).toLowerCase();
    if (base in languages) return base as Language;
  }
  return "en";
}

/** chosenHere is the language that somebody chose in this browser; null: nobody has. */
export const chosenHere = () => stands("chosen");

function stands(as: keyof typeof storageKeys): Language | null {
  try {
    const stored = localStorage.getItem(storageKeys[as]);
    return stored && Object.hasOwn(languages, stored) ? (stored as Language) : null;
  } catch {
    return null; // the browser keeps nothing for this site
  }
}

let turn: Promise<void> = Promise.resolve();

/** inTurn shows one language after the other, so that the last one stays. */
function inTurn(task: () => Promise<void>): Promise<void> {
  turn = turn.then(task, task);
  return turn;
}

async function show(language: Language, whole: boolean): Promise<void> {
  const { first, rest } = load[language];
  const [begin, more] = await Promise.all([first(), whole ? rest() : null]);
  catalogue = { ...begin.default, ...(more?.default ?? until) } as Catalogue;
  complete = whole;
  present = language;
  locale = localeOf(language, navigator.languages);
  document.documentElement.lang = language;
  for (const listener of listeners) listener();
}

/** speak loads a language and shows it; keep remembers it in this browser, as what it is. */
export async function speak(language: Language, keep?: keyof typeof storageKeys): Promise<void> {
  await inTurn(() => show(language, complete));
  try {
    if (keep) localStorage.setItem(storageKeys[keep], language);
  } catch {
    // The choice holds for this page only.
  }
}

/** whole loads the rest of the present language, which all but the first pages need (scripts/check.mjs knows them). */
export function whole(): Promise<void> {
  return inTurn(async () => {
    if (!complete) await show(present, true);
  });
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** texts gives the present catalogue, outside of components. */
export function texts(): Catalogue {
  if (!catalogue) throw new Error("no language is loaded yet");
  return catalogue;
}

/** useText gives the present catalogue: const t = useText(); t.login.title */
export function useText(): Catalogue {
  return useSyncExternalStore(subscribe, texts);
}

/** languageNow gives the present language, outside of components. */
export function languageNow(): Language {
  return present;
}

/** useSpoken gives the present language. */
export function useSpoken(): Language {
  return useSyncExternalStore(subscribe, languageNow);
}

/** localeNow is as useLanguage, outside of components. */
export function localeNow(): string {
  return locale;
}

/** useLanguage gives the present language's tag for Intl, with the region of the browser: en-GB writes other dates than en-US. */
export function useLanguage(): string {
  return useSyncExternalStore(subscribe, localeNow);
}

export type { Catalogue };
