import { Tooltip, VisuallyHidden } from "@mantine/core";
import { useLanguage, useText } from "../text";
import classes from "./charts.module.css";
import { weekBegins } from "./fleet";

const urgent = 4; // weeks

/** Weeks draws one column for each week; each says its number to whoever does not see it. */
export function Weeks({ counts }: { counts: number[] }) {
  const words = useText().overview.charts;
  const language = useLanguage();
  const number = new Intl.NumberFormat(language);
  const date = new Intl.DateTimeFormat(language, { day: "numeric", month: "short" });
  const greatest = Math.max(...counts, 1);
  const begins = weekBegins(counts.length);
  return (
    <ul className={classes.weeks} aria-label={words.weeks}>
      {counts.map((count, i) => {
        const from = date.format(begins[i]);
        const said = words.week(from, number.format(count));
        return (
          <Tooltip label={said} key={from}>
            <li>
              <VisuallyHidden>{said}</VisuallyHidden>
              <span className={`${classes.count} numbers`} aria-hidden>
                {count > 0 ? number.format(count) : ""}
              </span>
              <span
                className={`${classes.column} ${i < urgent ? classes.urgent : ""}`}
                style={{ height: count > 0 ? `${Math.max(4, (count / greatest) * 84)}px` : "2px" }}
                data-empty={count === 0 || undefined}
                aria-hidden
              />
              <span className={classes.week} aria-hidden>
                {i % 4 === 0 && i < counts.length - 1 ? from : ""}
              </span>
            </li>
          </Tooltip>
        );
      })}
    </ul>
  );
}
