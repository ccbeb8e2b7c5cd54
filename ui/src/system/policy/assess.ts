import type { Schema } from "../../api/client";
import type { Catalogue } from "../../text";

export type Policy = Schema<"PasswordPolicy">;
type Words = Catalogue["settings"]["policy"];

/** guessesADay is how many wrong passwords the lockout lets somebody try for one account. */
export function guessesADay(policy: Pick<Policy, "lockout_attempts" | "lockout_minutes">): number {
  return policy.lockout_attempts * Math.ceil(1440 / policy.lockout_minutes);
}

/** assess says in plain sentences what a policy means, and warns of what people will regret. */
export function assess(
  policy: Policy,
  before: Policy,
  words: Words,
  language: string,
): { rules: string[]; warnings: string[] } {
  const { rules: r, warnings: w } = words;
  const classes = [
    policy.require_lowercase && r.lowercase,
    policy.require_uppercase && r.uppercase,
    policy.require_digit && r.digit,
    policy.require_symbol && r.symbol,
  ].filter((x): x is string => typeof x === "string");
  const guesses = guessesADay(policy);
  const age = policy.max_age_days;
  const rules = [
    r.length(policy.min_length, policy.max_length),
    classes.length > 0 && r.contains(new Intl.ListFormat(language).format(classes)),
    policy.reject_common ? r.common : r.anything,
    r.always,
    policy.change_at_first_sign_in && r.first,
    age === 0 ? r.never : r.age(age),
    r.lockout(policy.lockout_attempts, policy.lockout_minutes),
    r.guesses(new Intl.NumberFormat(language).format(guesses)),
  ];
  const sooner = age > 0 && (before.max_age_days === 0 || age < before.max_age_days);
  const warnings = [
    !policy.reject_common && w.common,
    age === 1 && w.daily,
    age > 1 && age < 90 && w.often(age),
    sooner && w.atOnce(age),
    classes.length > 0 && policy.min_length < 12 && w.classes,
    policy.lockout_attempts < 3 && w.typo,
    guesses > 2000 && w.guesses,
    policy.lockout_minutes >= 120 && w.long,
  ];
  const said = (list: (string | false)[]) => list.filter((x): x is string => x !== false);
  return { rules: said(rules), warnings: said(warnings) };
}
