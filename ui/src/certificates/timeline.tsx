import { Text, Tooltip } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Ref } from "react";
import { countOf, weekFormat } from "../admin/compliance/weeks";
import { api, ask } from "../api/client";
import { useLanguage, useText } from "../text";
import { ahead, fewer, type Mark, months } from "./ahead";
import { type Filters, toQuery } from "./show";
import classes from "./timeline.module.css";

const dots = 5; // drawn one above the other; where a mark stands for more, all are bars, with their numbers
const highest = 44; // px of a bar

/** Timeline draws when the certificates that the filters let through end, over the next year. */
export function Timeline({ filters }: { filters: Filters }) {
  const t = useText();
  const language = useLanguage();
  const words = t.certificates.ahead;
  const number = new Intl.NumberFormat(language);
  const query = useQuery({
    queryKey: ["certificates", "weeks", filters],
    queryFn: () => ask(api.GET("/api/certificates/by-week", { params: { query: toQuery(filters) } })),
    placeholderData: keepPreviousData,
  });
  const weeks = (query.data?.weeks ?? []).map(({ week_start, count }) => ({
    start: new Date(`${week_start}T00:00:00Z`),
    count,
  }));
  const marks = ahead(weeks);
  const month = new Intl.DateTimeFormat(language, { month: "short" });
  const first = marks[0];
  const all = countOf(weeks);
  const few = fewer(marks);
  const cut = query.data?.counts_are_exact === false;
  const said = query.isError
    ? words.missing
    : first
      ? words.some(all, number.format(all), weekFormat(language, "full").format(first.week.start))
      : cut
        ? words.cut
        : words.none;
  const line = (
    <div className={classes.line} role="img" aria-label={query.data || query.isError ? said : t.common.loading}>
      <span className={`${classes.label} ${classes.today}`}>{words.today}</span>
      {months().map(({ place, at }, i) => (
        <span
          key={at.toISOString()}
          className={`${classes.label} ${i % 3 === 2 ? "" : classes.minor}`}
          style={{ left: `${place * 100}%` }}
        >
          {/* Beside "today", and at the very end, there is no room for a word. */}
          {place > 0.07 && place < 0.96 ? month.format(at) : null}
        </span>
      ))}
      {query.isError && !query.data ? <span className={classes.missing}>{words.missing}</span> : null}
      {marks.map(({ place, soon, week: { start, count } }) => (
        <Tooltip
          key={start.toISOString()}
          label={t.overview.charts.week(weekFormat(language).format(start), number.format(count))}
        >
          <Dots mark={{ place, soon, week: { start, count } }} most={mostOf(marks)} className={classes.weekly} />
        </Tooltip>
      ))}
      {few.map((mark) => (
        <Dots key={mark.place} mark={mark} most={mostOf(few)} className={classes.monthly} />
      ))}
    </div>
  );
  if (!cut) return line;
  return (
    <>
      {line}
      <Text size="xs" c="dimmed" mb="md">
        {words.cut}
      </Text>
    </>
  );
}

const mostOf = (marks: readonly Mark[]) => Math.max(...marks.map((m) => m.week.count));

type DotsProps = { mark: Mark; most: number; className: string | undefined; ref?: Ref<HTMLDivElement> };

/** Dots are the certificates of one mark, or, where there are many, a bar as high as they are many. */
function Dots({ mark: { place, soon, week }, most, className, ...more }: DotsProps) {
  const language = useLanguage();
  return (
    <div
      {...more}
      className={`${classes.mark} ${soon ? classes.soon : ""} ${className}`}
      style={{ left: `${place * 100}%` }}
    >
      {week.count > dots ? (
        <span className={classes.number}>
          {new Intl.NumberFormat(language, { notation: "compact" }).format(week.count)}
        </span>
      ) : null}
      {most > dots ? (
        <span className={classes.bar} style={{ height: Math.max(3, (highest * week.count) / most) }} />
      ) : (
        Array.from({ length: week.count }, (_, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
          <span key={i} className={classes.dot} />
        ))
      )}
    </div>
  );
}
