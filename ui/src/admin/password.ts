import type { Schema } from "../api/client";

type Policy = Schema<"AuthConfig">["password_policy"];

// No look-alikes, since a password may be read out: as the server's own.
const lower = "abcdefghijkmnpqrstuvwxyz";
const upper = "ABCDEFGHJKLMNPQRSTUVWXYZ";
const digits = "23456789";
const symbols = "-_.+=!?";
const usual = 24;

/** generatePassword makes a first password that keeps to the policy: at least 130 bits where it may have 24 characters. */
export function generatePassword(policy: Policy): string {
  const length = Math.min(Math.max(usual, policy.min_length), policy.max_length);
  const kinds = [lower, upper, digits, ...(policy.require_symbol ? [symbols] : [])];
  const all = kinds.join("");
  for (;;) {
    const made = Array.from({ length }, () => all.charAt(below(all.length))).join("");
    // Made again as a whole: one that is put right afterwards is less random.
    if (kinds.every((kind) => [...made].some((c) => kind.includes(c)))) return made;
  }
}

/** below gives a random whole number under n (at most 256), each as likely as the others. */
function below(n: number): number {
  const one = new Uint8Array(1);
  for (;;) {
    const [value = 0] = crypto.getRandomValues(one);
    if (value < Math.floor(256 / n) * n) return value % n;
  }
}
