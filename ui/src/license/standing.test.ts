import { expect, test } from "vitest";
import { kindOf, type License, leftOf, noticed, toneOf } from "./standing";

const summary = {
  installation_id: "id",
  customer_name: "Example Ltd",
  customer_email: "it@example.com",
  license_type: "enterprise",
  issue_date: "2026-01-01T00:00:00Z",
  expiry_date: "2027-01-01T00:00:00Z",
};
const license = (more: Partial<License>): License => ({
  status: "TRIAL",
  license: null,
  days_remaining: 20,
  installation_id: "id",
  ends_at: "2026-12-01T00:00:00Z",
  restricted: false,
  reached: true,
  clock_behind: false,
  no_public_key: false,
  ...more,
});

test("each status has its kind and tone", () => {
  const of = (more: Partial<License>) => {
    const kind = kindOf(license(more));
    return [kind, toneOf(kind)];
  };
  expect(of({})).toEqual(["trial", "good"]);
  expect(of({ status: "VALID", license: summary, days_remaining: 300 })).toEqual(["valid", "good"]);
  expect(of({ status: "EXPIRING", license: summary, days_remaining: 3 })).toEqual(["expiring", "warn"]);
  expect(of({ status: "EXPIRED", license: summary, days_remaining: 0 })).toEqual(["expired", "bad"]);
  expect(of({ status: "EXPIRED", days_remaining: 0 })).toEqual(["trialOver", "bad"]);
  expect(of({ status: "INVALID", license: summary })).toEqual(["invalid", "bad"]);
  expect(of({ status: "MISSING" })).toEqual(["missing", "bad"]);
});

test("the last seven days of a trial are its end", () => {
  expect(kindOf(license({ days_remaining: 7 }))).toBe("trial");
  expect(kindOf(license({ days_remaining: 6 }))).toBe("trialEnding");
});

test("while the service does not answer, neither days nor a trial are shown", () => {
  const silent = license({ reached: false, days_remaining: 0 });
  expect(kindOf(silent)).toBe("unreached");
  expect(leftOf(silent)).toBeNull();
  expect(noticed(silent)).toBe(false);
});

test("every page tells of what ends or is restricted, and of nothing else", () => {
  expect(noticed(license({}))).toBe(false);
  expect(noticed(license({ days_remaining: 6 }))).toBe(true);
  expect(noticed(license({ status: "VALID", license: summary }))).toBe(false);
  for (const status of ["EXPIRING", "EXPIRED", "INVALID", "MISSING"] as const) {
    expect(noticed(license({ status, license: summary }))).toBe(true);
  }
});

test("what is left is a share of the whole", () => {
  expect(leftOf(license({ days_remaining: 15 }))).toEqual({ days: 15, total: 30, share: 0.5 });
  expect(leftOf(license({ status: "VALID", license: summary, days_remaining: 73 }))).toEqual({
    days: 73,
    total: 365,
    share: 0.2,
  });
  expect(leftOf(license({ status: "EXPIRED", days_remaining: 0 }))?.share).toBe(0);
  expect(leftOf(license({ status: "MISSING" }))).toBeNull();
});

test("a license that is valid before it was issued fills the whole, and no more", () => {
  expect(leftOf(license({ status: "VALID", license: summary, days_remaining: 400 }))?.share).toBe(1);
});
