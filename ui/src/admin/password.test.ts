import { expect, test } from "vitest";
import { generatePassword } from "./password";

const policy = {
  min_length: 8,
  max_length: 128,
  require_lowercase: false,
  require_uppercase: false,
  require_digit: false,
  require_symbol: false,
  reject_common: true,
  change_at_first_sign_in: true,
  max_age_days: 0,
  lockout_attempts: 5,
  lockout_minutes: 15,
};

test("a generated password keeps to the policy", () => {
  for (let i = 0; i < 200; i++) {
    const plain = generatePassword(policy);
    expect(plain).toMatch(/^[a-zA-Z2-9]{24}$/);
    const strict = generatePassword({ ...policy, require_symbol: true, min_length: 30 });
    expect(strict).toHaveLength(30);
    for (const kind of [/[a-z]/, /[A-Z]/, /\d/, /[-_.+=!?]/]) expect(strict).toMatch(kind);
  }
  expect(generatePassword({ ...policy, max_length: 12 })).toHaveLength(12);
});

test("two generated passwords differ", () => {
  expect(new Set(Array.from({ length: 100 }, () => generatePassword(policy))).size).toBe(100);
});
