/** localeOf is the first of a browser's locales that is of a language, or else the language alone: it decides how dates and numbers are written. */
export function localeOf(language: string, browsers: readonly string[]): string {
  const fits = browsers.find((tag) => tag.toLowerCase().split("-")[0] === language);
  try {
    return fits ? (Intl.getCanonicalLocales(fits)[0] ?? language) : language;
  } catch {
    return language; // a tag that nobody knows
  }
}
