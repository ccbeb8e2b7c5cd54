/** A stretch of time: how much of it has passed, and what is left. */
export type Span = { passed: number; left: number; tone: "good" | "warn" | "bad" };

/** span looks at a stretch of time; with less than reserve seconds left it warns. */
export function span(from: string, to: string, reserve: number, now = Date.now()): Span {
  const begin = Date.parse(from);
  const end = Date.parse(to);
  const left = (end - now) / 1000;
  const passed = end > begin ? Math.min(1, Math.max(0, (now - begin) / (end - begin))) : 1;
  return { passed, left, tone: left <= 0 ? "bad" : left < reserve ? "warn" : "good" };
}
