import type { Schema } from "../../api/client";

/** Week is a week, from Monday 00:00 UTC on, and how many certificates end in it. */
export type Week = { start: Date; count: number };

/** weeksOf adds up the weeks of all organizations of a report. The server counts the same weeks for each. */
export function weeksOf({ organizations }: Schema<"ComplianceReport">): Week[] {
  const weeks = new Map<string, number>();
  for (const o of organizations) {
    for (const { week_start, count } of o.certificates_expiring_by_week) {
      weeks.set(week_start, (weeks.get(week_start) ?? 0) + count);
    }
  }
  return [...weeks].map(([start, count]) => ({ start: new Date(`${start}T00:00:00Z`), count }));
}

/** countOf is how many certificates end in some weeks. */
export function countOf(weeks: Week[]): number {
  return weeks.reduce((n, w) => n + w.count, 0);
}

/** weekFormat writes the Monday that a week begins with, which is one in UTC. */
export function weekFormat(language: string, form: "short" | "full" = "short"): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(language, {
    timeZone: "UTC",
    ...(form === "full" ? { dateStyle: "medium" } : { day: "numeric", month: "short" }),
  });
}
