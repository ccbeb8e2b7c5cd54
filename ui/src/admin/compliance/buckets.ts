import type { Part, Report } from "./merge";

/** Unit is how much time a bar of the chart of expiries stands for. */
export type Unit = "day" | "week" | "month" | "year";
/** Bar counts what ends from start, inclusive, to end. */
export type Bar = { start: Date; end: Date; count: number };
/** Expiries are bars whose counts are exact, and how many end after them. */
export type Expiries = { unit: Unit; bars: Bar[]; later: number };

/** unitFor keeps the bars few enough to tell apart. */
export function unitFor(days: number): Unit {
  if (days <= 14) return "day";
  if (days <= 210) return "week";
  return days <= 930 ? "month" : "year";
}

/**
 * expiries sorts the listed certificates into bars. The server lists the first
 * hundred of each organization: past the end of a list that was cut there are
 * no exact numbers, so the bars stop there and the rest is one number.
 */
export function expiries(report: Report, until: string | null): Expiries {
  const days = report.parameters.expiring_within_days;
  const unit = unitFor(days);
  const begin = new Date(report.generated_at);
  const end = begin.getTime() + days * 86_400_000;
  const known = until === null ? Number.POSITIVE_INFINITY : Date.parse(until);
  const bars: Bar[] = [];
  for (let start = floor(begin, unit); start.getTime() <= end; start = next(start, unit)) {
    const bar = { start, end: next(start, unit), count: 0 };
    if (bar.end.getTime() > known) break;
    bars.push(bar);
  }
  let total = 0;
  let placed = 0;
  for (const part of report.organizations) {
    total += part.certificates_expiring.count;
    placed += place(part, bars);
  }
  return { unit, bars, later: total - placed };
}

function place(part: Part, bars: Bar[]): number {
  let placed = 0;
  for (const { not_after } of part.certificates_expiring.certificates) {
    const at = Date.parse(not_after);
    const bar = bars.find((b) => at >= b.start.getTime() && at < b.end.getTime());
    if (bar) {
      bar.count++;
      placed++;
    }
  }
  return placed;
}

/** floor is the begin of the day, week (from Monday), month or year, in the person's zone. */
function floor(at: Date, unit: Unit): Date {
  const [y, m, d] = [at.getFullYear(), at.getMonth(), at.getDate()];
  if (unit === "year") return new Date(y, 0, 1);
  if (unit === "month") return new Date(y, m, 1);
  return new Date(y, m, unit === "week" ? d - ((at.getDay() + 6) % 7) : d);
}

function next(at: Date, unit: Unit): Date {
  const [y, m, d] = [at.getFullYear(), at.getMonth(), at.getDate()];
  if (unit === "year") return new Date(y + 1, 0, 1);
  if (unit === "month") return new Date(y, m + 1, 1);
  return new Date(y, m, d + (unit === "week" ? 7 : 1));
}
