import type { CA } from "./queries";

/** Step is what a CA needs next. */
export type Step =
  | "fine"
  | "renew"
  /** It needs a successor, and one is on its way. */
  | "awaited"
  /** It is active and has expired. */
  | "over"
  | "send"
  | "distribute"
  /** Its root is trusted already: an active or earlier CA has the same. */
  | "known"
  | "retiring"
  | "ended";

/** stepOf says what a CA needs next; all are the CAs of the installation. */
export function stepOf(ca: CA, all: readonly CA[], now = Date.now()): Step {
  switch (ca.state) {
    case "requested":
      return "send";
    case "ready":
      return isKnown(ca, all) ? "known" : "distribute";
    case "retiring":
    case "ended":
      return ca.state;
    case "active":
      break;
  }
  const waits = all.some((other) => other.state === "requested" || other.state === "ready");
  if (reached(ca.not_after, now)) return waits ? "awaited" : "over";
  if (reached(ca.renew_from, now)) return waits ? "awaited" : "renew";
  return "fine";
}

function reached(at: string | null, now: number): boolean {
  return at !== null && Date.parse(at) <= now;
}

/** isKnown tells whether a CA that has signed for people has the same root. */
function isKnown(ca: CA, all: readonly CA[]): boolean {
  const root = rootOf(ca)?.fingerprint;
  return all.some((other) => ["active", "retiring"].includes(other.state) && rootOf(other)?.fingerprint === root);
}

/** rootOf is the last certificate of a CA's chain; undefined: it has none yet. */
export function rootOf(ca: CA): CA["chain"][number] | undefined {
  return ca.chain.at(-1);
}

const noticeDays = 90; // as the API says of renew_from

/** shorterFrom is when the end of the active CA begins to shorten certificates. */
export function shorterFrom(ca: CA): string {
  return new Date(Date.parse(ca.renew_from ?? "") + noticeDays * 86_400_000).toISOString();
}

/** nameOf is the common name in a distinguished name (RFC 4514), or else all of that. */
export function nameOf(subject: string): string {
  const found = /(?:^|[,+])CN=((?:\\.|[^,+\\])*)/.exec(subject)?.[1];
  return found === undefined ? subject : found.replace(/\\(.)/g, "$1");
}
