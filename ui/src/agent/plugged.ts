import type { AgentSchema } from "./schema";

/** Connected is a token that is plugged in. */
export type Connected = AgentSchema<"Token">;

/** ReaderEvent says that a reader got or lost a token. */
export type ReaderEvent = { kind: "inserted" | "removed"; reader: string; serial: string | null };

/** readerEvent reads an event of the agent's stream; null for what is none. */
export function readerEvent(kind: ReaderEvent["kind"], data: unknown): ReaderEvent | null {
  if (typeof data !== "string") return null;
  try {
    const value: unknown = JSON.parse(data);
    if (typeof value !== "object" || value === null || !("reader" in value)) return null;
    const serial = "serial" in value && typeof value.serial === "string" ? value.serial : null;
    return { kind, reader: String(value.reader), serial };
  } catch {
    return null;
  }
}

/** after gives what is left in the readers after an event. A token that was put in has still to be asked for. */
export function after(tokens: readonly Connected[], event: ReaderEvent): Connected[] {
  return tokens.filter((t) => t.reader !== event.reader && t.serial !== event.serial);
}

/**
 * merged adds what the agent lists to what is known. Absence from the list is
 * no proof of removal: another program may use the token.
 */
export function merged(known: readonly Connected[], listed: readonly Connected[]): Connected[] {
  const taken = (t: Connected) => listed.some((l) => l.serial === t.serial || l.reader === t.reader);
  return [...listed, ...known.filter((t) => !taken(t))].toSorted((a, b) => (a.serial < b.serial ? -1 : 1));
}
