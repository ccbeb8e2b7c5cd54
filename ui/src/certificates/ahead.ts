import { certificateState } from "../parts/certificate-state";
import type { Certificate } from "./queries";

/** A place on the time line, and the certificates that end there. */
export type Mark = { place: number; soon: boolean; certificates: Certificate[] };

const yearMs = 365 * 86_400_000;
const places = 73; // of five days

/** ahead sorts what is valid, and ends within a year, into places between 0 and 1. */
export function ahead(certificates: Certificate[], now = Date.now()): Mark[] {
  const marks = new Map<number, Mark>();
  for (const c of certificates) {
    const state = certificateState(c, now);
    const far = (Date.parse(c.not_after) - now) / yearMs;
    if (state === "revoked" || state === "expired" || far > 1) continue;
    const i = Math.min(places - 1, Math.floor(far * places));
    const mark = marks.get(i) ?? { place: (i + 0.5) / places, soon: false, certificates: [] };
    mark.certificates.push(c);
    mark.soon ||= state === "expiring" || (state === "unconfirmed" && far * 365 < 30);
    marks.set(i, mark);
  }
  return [...marks.values()].sort((a, b) => a.place - b.place);
}

/** months gives where each month begins on a line of one year from now. */
export function months(now = Date.now()): { place: number; at: Date }[] {
  const today = new Date(now);
  return Array.from({ length: 12 }, (_, i) => {
    const at = new Date(today.getFullYear(), today.getMonth() + 1 + i, 1);
    return { place: (at.getTime() - now) / yearMs, at };
  }).filter((m) => m.place < 0.99);
}
