import type { Message, Stored } from "./calls";

/** Standing is how a message stands; the server has one word for what waits, for the first time or again. */
export type Standing = Message["status"] | "retrying";

export function standingOf(m: Pick<Message, "status" | "attempts">): Standing {
  return m.status === "pending" && m.attempts > 0 ? "retrying" : m.status;
}

type Way = Pick<Stored, "enabled" | "standing">;

/** open: messages are sent at their time; otherwise all wait, for the settings or the mail server. */
const open = (way: Way) => way.enabled && !way.standing;

/** nextAttempt is when a message is tried next; null where nobody can tell. */
export function nextAttempt(m: Message, way: Way, now: number): string | null {
  if (m.status !== "pending" || !m.next_attempt_at || !open(way)) return null;
  return Date.parse(m.next_attempt_at) > now ? m.next_attempt_at : null;
}

const often = 5000; // ms

/** changesIn is in how many ms one of the messages may have become another by itself; false: none does. */
export function changesIn(rows: readonly Message[], way: Way, now: number): number | false {
  if (!open(way)) return false;
  const due = rows.flatMap((m) => (m.status === "pending" && m.next_attempt_at ? [Date.parse(m.next_attempt_at)] : []));
  return due.length > 0 && Math.max(Math.min(...due) - now, often);
}
