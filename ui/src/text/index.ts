import { useSyncExternalStore } from "react";
import type { Catalogue } from "./en";

/** The languages: each is a catalogue of the same shape as English. */
export const languages = { en: "English", de: "Deutsch" } as const;
export type Language = keyof typeof languages;

const load: Record<Language, () => Promise<{ default: Catalogue }>> = {
  en: () => import("./en"),
  de: () => import("./de"),
};

const storageKey = "keyward-language";
let catalogue: Catalogue | null = null;
let present: Language = "en";
const listeners = new Set<() => void>();

/** preferred is the stored choice, else the browser's first language that there is. */
export function preferred(): Language {
  const stored = chosenHere();
  if (stored) return stored;
  for (const tag of navigator.languages) {
    const base = tag.slice(0, 2).toLowerCase();
    if (base in languages) return base as Language;
  }
  return "en";
}

/** chosenHere is the language that somebody chose in this browser; null: nobody has. */
export function chosenHere(): Language | null {
  try {
    const stored = localStorage.getItem(storageKey);
    return stored && Object.hasOwn(languages, stored) ? (stored as Language) : null;
  } catch {
    return null; // the browser keeps nothing for this site
  }
}

/** speak loads a language and shows it; keep remembers the choice in this browser. */
export async function speak(language: Language, keep = false): Promise<void> {
  catalogue = (await load[language]()).default;
  present = language;
  document.documentElement.lang = language;
  for (const listener of listeners) listener();
  try {
    if (keep) localStorage.setItem(storageKey, language);
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
