import { Tooltip } from "@mantine/core";
import { useLanguage, useText } from "../text";

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 365 * 86_400],
  ["month", 30 * 86_400],
  ["week", 7 * 86_400],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

/** relative says how far a time is from now: "in 3 days", "2 hours ago". */
export function relative(at: string | Date, language: string, now = Date.now()): string {
  const seconds = (new Date(at).getTime() - now) / 1000;
  const format = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
  for (const [unit, size] of units) {
    if (Math.abs(seconds) >= size) return format.format(Math.trunc(seconds / size), unit);
  }
  return format.format(Math.trunc(seconds), "second");
}

/** exact is a time in the person's own zone. */
export function exact(at: string | Date, language: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "medium" }).format(new Date(at));
}

/** day is the date alone. */
export function day(at: string | Date, language: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: "medium" }).format(new Date(at));
}

/** When shows a time relative to now; exact on hover, on focus, and to assistive technology. */
export function When({
  at,
  fallback,
  as = "relative",
}: {
  at: string | null | undefined;
  fallback?: string;
  as?: "relative" | "exact" | "day";
}) {
  const language = useLanguage();
  const t = useText();
  if (!at) return <span>{fallback ?? t.common.never}</span>;
  const whole = exact(at, language);
  const shown = as === "relative" ? relative(at, language) : as === "day" ? day(at, language) : whole;
  return (
    <Tooltip label={as === "relative" ? whole : `${whole} · ${relative(at, language)}`}>
      <time dateTime={at} title={whole}>
        {shown}
      </time>
    </Tooltip>
  );
}
