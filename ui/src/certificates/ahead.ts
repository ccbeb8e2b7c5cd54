import type { Week } from "../admin/compliance/weeks";

/** A place on the time line, and how many certificates end there. */
export type Mark = { place: number; soon: boolean; week: Week };

const dayMs = 86_400_000;
const yearMs = 365 * dayMs;

/** ahead puts the weeks in which certificates end between 0, today, and 1, a year from now. */
export function ahead(weeks: Week[], now = Date.now()): Mark[] {
  return weeks.flatMap((week) => {
    if (week.count === 0) return [];
    const start = week.start.getTime();
    const place = Math.min(Math.max((start + 3.5 * dayMs - now) / yearMs, 0), 1);
    return [{ place, soon: start - now < 30 * dayMs, week }];
  });
}

const spans = 13; // of four weeks, in a year

/** fewer puts four weeks each together: for a line on which 52 have no room. */
export function fewer(marks: Mark[]): Mark[] {
  const put = new Map<number, Mark>();
  for (const mark of marks) {
    const span = Math.min(Math.floor(mark.place * spans), spans - 1);
    const there = put.get(span);
    put.set(span, {
      place: (span + 0.5) / spans,
      soon: mark.soon || there?.soon === true,
      week: { start: there?.week.start ?? mark.week.start, count: mark.week.count + (there?.week.count ?? 0) },
    });
  }
  return [...put.values()];
}

/** months gives where each month begins on a line of one year from now. */
export function months(now = Date.now()): { place: number; at: Date }[] {
  const today = new Date(now);
  return Array.from({ length: 12 }, (_, i) => {
    const at = new Date(today.getFullYear(), today.getMonth() + 1 + i, 1);
    return { place: (at.getTime() - now) / yearMs, at };
  }).filter((m) => m.place < 0.99);
}
