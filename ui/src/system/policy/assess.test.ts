import { describe, expect, it } from "vitest";
import { settings } from "../../text/en/settings";
import { assess, guessesADay, type Policy } from "./assess";

const words = settings.policy;
const usual: Policy = {
  min_length: 8,
  max_length: 128,
  require_lowercase: false,
  require_uppercase: false,
  require_digit: false,
  require_symbol: false,
  reject_common: true,
  change_at_first_sign_in: false,
  max_age_days: 0,
  lockout_attempts: 5,
  lockout_minutes: 15,
};
const warnings = (change: Partial<Policy>, before = usual) =>
  assess({ ...usual, ...change }, before, words, "en").warnings;

describe("assess", () => {
  it("says what the usual policy means and warns of nothing", () => {
    const { rules, warnings: none } = assess(usual, usual, words, "en");
    expect(rules).toContain("A password has 8 to 128 characters.");
    expect(rules).toContain("An attacker gets at most 480 guesses per account per day.");
    expect(none).toEqual([]);
  });
  it("names the classes in one sentence", () => {
    const { rules } = assess({ ...usual, require_digit: true, require_symbol: true }, usual, words, "en");
    expect(rules).toContain("It contains a digit and a symbol.");
  });
  it("warns of a day's age, and that it holds at once", () => {
    expect(warnings({ max_age_days: 1 })).toEqual([words.warnings.daily, words.warnings.atOnce(1)]);
  });
  it("says nothing of an age that grows", () => {
    expect(warnings({ max_age_days: 200 }, { ...usual, max_age_days: 100 })).toEqual([]);
  });
  it("warns of lockouts that are too sharp, too lax and too long", () => {
    expect(warnings({ lockout_attempts: 1 })).toEqual([words.warnings.typo]);
    expect(warnings({ lockout_attempts: 20, lockout_minutes: 1 })).toEqual([words.warnings.guesses]);
    expect(warnings({ lockout_minutes: 1440 })).toEqual([words.warnings.long]);
  });
  it("counts guesses", () => {
    expect(guessesADay({ lockout_attempts: 3, lockout_minutes: 1440 })).toBe(3);
  });
});
