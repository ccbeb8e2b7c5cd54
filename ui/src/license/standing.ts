import type { Schema } from "../api/client";

export type License = Schema<"License">;

/** How an installation stands, as its people see it. unreached: the license service does not answer. */
export type Kind =
  | "trial"
  | "trialEnding"
  | "valid"
  | "expiring"
  | "expired"
  | "trialOver"
  | "invalid"
  | "missing"
  | "unreached";

export type Tone = "good" | "warn" | "bad";

const trialDays = 30;
/** A trial of which less is left ends soon. In days, as of a license. */
const soon = 7;
const day = 86_400_000;

/** kindOf names how the installation stands. */
export function kindOf(license: License): Kind {
  if (!license.reached) return "unreached";
  switch (license.status) {
    case "TRIAL":
      return license.days_remaining < soon ? "trialEnding" : "trial";
    case "VALID":
      return "valid";
    case "EXPIRING":
      return "expiring";
    case "EXPIRED":
      return license.license ? "expired" : "trialOver";
    case "INVALID":
      return "invalid";
    case "MISSING":
      return "missing";
  }
}

const tones: Record<Kind, Tone> = {
  trial: "good",
  trialEnding: "warn",
  valid: "good",
  expiring: "warn",
  expired: "bad",
  trialOver: "bad",
  invalid: "bad",
  missing: "bad",
  unreached: "warn",
};

/** toneOf says how bad that is. */
export function toneOf(kind: Kind): Tone {
  return tones[kind];
}

/** leftOf gives what is left of a license or trial, in days, and its share of the whole (0 to 1); null where nothing runs. */
export function leftOf(license: License): { days: number; total: number; share: number } | null {
  const kind = kindOf(license);
  if (kind === "invalid" || kind === "missing" || kind === "unreached") return null;
  const summary = license.license;
  const total = summary
    ? Math.max(1, Math.round((Date.parse(summary.expiry_date) - Date.parse(summary.issue_date)) / day))
    : trialDays;
  // A license may be issued before it is stored, but never runs for longer than the whole.
  return { days: license.days_remaining, total, share: Math.min(1, license.days_remaining / total) };
}

/** noticed tells whether every page should say how the license stands. */
export function noticed(license: License): boolean {
  const kind = kindOf(license);
  return kind !== "unreached" && toneOf(kind) !== "good";
}
