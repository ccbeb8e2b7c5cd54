import { expect, test } from "vitest";
import { day, exact } from "../parts/when";
import { localeOf } from "./locale";

test("dates are written as in the browser's region, in the language of the pages", () => {
  for (const [language, browsers, locale] of [
    ["en", ["en-GB", "en-US", "en"], "en-GB"],
    ["en", ["de-DE", "en-AU"], "en-AU"],
    ["de", ["de-AT", "en-GB"], "de-AT"],
    ["de", ["en-GB"], "de"],
    ["en", [], "en"],
    ["en", ["EN_gb", "en-us"], "en-US"],
    ["en", ["en-", "x"], "en"],
  ] as const) {
    expect(localeOf(language, browsers), `${language} in ${browsers}`).toBe(locale);
  }
  const at = "2027-03-04T12:00:00Z";
  expect(day(at, localeOf("en", ["en-GB"]))).toBe("4 Mar 2027");
  expect(day(at, localeOf("en", ["en-US"]))).toBe("Mar 4, 2027");
  expect(exact(at, localeOf("en", ["en-GB"]))).toMatch(/^4 Mar 2027, \d\d:00:00$/);
  expect(day(at, localeOf("de", ["de-CH"]))).toBe("04.03.2027");
});
