import { Tooltip } from "@mantine/core";
import { week } from "../admin/compliance/places";
import { WeekLink } from "../admin/compliance/weeklink";
import { type Week, weekFormat } from "../admin/compliance/weeks";
import { useLanguage, useText } from "../text";
import classes from "./charts.module.css";

const urgent = 4; // weeks

/** Weeks draws one column for each week; each says its number to whoever does not see it. */
export function Weeks({ weeks }: { weeks: Week[] }) {
  const words = useText().overview.charts;
  const language = useLanguage();
  const number = new Intl.NumberFormat(language);
  const date = weekFormat(language);
  const greatest = Math.max(...weeks.map((w) => w.count), 1);
  // Beside each other there is room for three digits: of longer numbers only the greatest is written out.
  const written = (count: number, i: number) =>
    count > 0 && (greatest < 1000 || i === weeks.findIndex((w) => w.count === greatest));
  return (
    <ul className={classes.weeks} aria-label={words.weeks}>
      {weeks.map(({ start, count }, i) => {
        const from = date.format(start);
        const said = words.week(from, number.format(count));
        return (
          <Tooltip label={said} key={from}>
            <li>
              <WeekLink list={count > 0 ? week(start) : undefined} said={said}>
                <span className={`${classes.count} numbers`} aria-hidden>
                  {written(count, i) ? number.format(count) : ""}
                </span>
                <span
                  className={`${classes.column} ${i < urgent ? classes.urgent : ""}`}
                  style={{ height: count > 0 ? `${Math.max(4, (count / greatest) * 84)}px` : "2px" }}
                  data-empty={count === 0 || undefined}
                  aria-hidden
                />
                <span className={classes.week} aria-hidden>
                  {i % 4 === 0 && i < weeks.length - 1 ? from : ""}
                </span>
              </WeekLink>
            </li>
          </Tooltip>
        );
      })}
    </ul>
  );
}
