import { Text, Tooltip } from "@mantine/core";
import { useSyncExternalStore } from "react";
import { useLanguage, useText } from "../text";

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 365 * 86_400],
  ["month", 30 * 86_400],
  ["week", 7 * 86_400],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

// The page is drawn again each minute: what is told in seconds would be wrong until then.
const thisMinuteIn: Record<string, [past: string, future: string]> = {
  de: ["gerade eben", "in weniger als einer Minute"],
};

/** relative says how far a time is from now: "in 3 days", "2 hours ago". */
export function relative(at: string | Date, language: string, now = Date.now()): string {
  const seconds = (new Date(at).getTime() - now) / 1000;
  const format = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
  for (const [unit, size] of units) {
    if (Math.abs(seconds) >= size) return format.format(Math.trunc(seconds / size), unit);
  }
  const [past, future] = thisMinuteIn[language] ?? ["just now", "in less than a minute"];
  return seconds < 1 ? past : future;
}

/** exact is a time in the person's own zone. */
export function exact(at: string | Date, language: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "medium" }).format(new Date(at));
}

/** day is the date alone. */
export function day(at: string | Date, language: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: "medium" }).format(new Date(at));
}

const minute = 60_000;
const waiting = new Set<() => void>();
let ticker: ReturnType<typeof setInterval> | undefined;

/** subscribe calls back every minute; one timer serves every time on the page. */
export function subscribe(told: () => void): () => void {
  waiting.add(told);
  ticker ??= setInterval(() => {
    for (const call of waiting) call();
  }, minute);
  return () => {
    waiting.delete(told);
    if (waiting.size > 0) return;
    clearInterval(ticker);
    ticker = undefined;
  };
}

const thisMinute = () => Math.floor(Date.now() / minute);

/** useMinute draws a component again each minute: what it shows is relative to now, and a row is not drawn for that. */
export function useMinute(): void {
  useSyncExternalStore(subscribe, thisMinute);
}

/**
 * When shows a time: how far it is from now, exactly, or its day. The exact
 * time is there on hover, and its title gives it to assistive technology. It is
 * no stop of the Tab key, since a table would get one in every row: where the
 * exact time matters, in the details of a thing, "both" writes it out.
 */
export function When({
  at,
  fallback,
  as = "relative",
}: {
  at: string | null | undefined;
  fallback?: string;
  as?: "relative" | "exact" | "day" | "both";
}) {
  const language = useLanguage();
  const t = useText();
  useMinute();
  if (!at) return <span>{fallback ?? t.common.never}</span>;
  const whole = exact(at, language);
  const away = relative(at, language);
  if (as === "both") {
    return (
      <time dateTime={at}>
        {away}{" "}
        <Text span inherit c="dimmed">
          ({whole})
        </Text>
      </time>
    );
  }
  const shown = as === "relative" ? away : as === "day" ? day(at, language) : whole;
  return (
    <Tooltip label={as === "relative" ? whole : `${whole} · ${away}`}>
      <time dateTime={at} title={whole}>
        {shown}
      </time>
    </Tooltip>
  );
}
