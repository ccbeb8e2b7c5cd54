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

/** changesFrom is from when on one of the messages may become another by itself; null: none does. */
export function changesFrom(rows: readonly Message[], way: Way): number | null {
  if (!open(way)) return null;
  const due = rows.flatMap((m) => (m.status === "pending" && m.next_attempt_at ? [Date.parse(m.next_attempt_at)] : []));
  return due.length > 0 ? Math.min(...due) : null;
}
