import { useSyncExternalStore } from "react";
import type { Catalogue } from "./en";

/** The languages: each is a catalogue of the same shape as English. */
export const languages = { en: "English", de: "Deutsch" } as const;
export type Language = keyof typeof languages;

const load: Record<Language, () => Promise<{ default: Catalogue }>> = {
  en: () => import("./en"),
  de: () => import("./de"),
};

/** Where this browser remembers a language: one that somebody chose here, and the one of the last person who did not. */
const storageKeys = { chosen: "keyward-language", person: "keyward-language-person" } as const;
let catalogue: Catalogue | null = null;
let present: Language = "en";
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

/** speak loads a language and shows it; keep remembers it in this browser, as what it is. */
export async function speak(language: Language, keep?: keyof typeof storageKeys): Promise<void> {
  catalogue = (await load[language]()).default;
  present = language;
  document.documentElement.lang = language;
  for (const listener of listeners) listener();
  try {
    if (keep) localStorage.setItem(storageKeys[keep], language);
  } catch {
    // The choice holds for this page only.
  }
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

/** languageNow gives the present language's tag, outside of components. */
export function languageNow(): Language {
  return present;
}

/** useLanguage gives the present language's tag, for Intl. */
export function useLanguage(): Language {
  return useSyncExternalStore(subscribe, languageNow);
}

export type { Catalogue };
