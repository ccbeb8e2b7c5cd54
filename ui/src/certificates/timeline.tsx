import { Tooltip } from "@mantine/core";
import { day } from "../parts/when";
import { useLanguage, useText } from "../text";
import { ahead, months } from "./ahead";
import type { Certificate } from "./queries";
import classes from "./timeline.module.css";

const dots = 5; // drawn one above the other; more are said by their number

/** Timeline draws when the certificates of a page end, over the next year. The table below it says the same in words. */
export function Timeline({ certificates }: { certificates: Certificate[] }) {
  const t = useText();
  const language = useLanguage();
  const words = t.certificates.ahead;
  const marks = ahead(certificates);
  const all = marks.flatMap((m) => m.certificates).sort((a, b) => a.not_after.localeCompare(b.not_after));
  const month = new Intl.DateTimeFormat(language, { month: "short" });
  const first = all[0];
  return (
    <div
      className={classes.line}
      role="img"
      aria-label={first ? words.some(all.length, day(first.not_after, language)) : words.none}
    >
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
      {marks.map((m) => (
        <Tooltip
          key={m.place}
          multiline
          label={m.certificates.map((c) => `${c.common_name} · ${day(c.not_after, language)}`).join("\n")}
          styles={{ tooltip: { whiteSpace: "pre-line" } }}
        >
          <div className={`${classes.mark} ${m.soon ? classes.soon : ""}`} style={{ left: `${m.place * 100}%` }}>
            {m.certificates.length > dots ? <span className={classes.number}>{m.certificates.length}</span> : null}
            {m.certificates.slice(0, dots).map((c) => (
              <span key={c.serial_number} className={classes.dot} />
            ))}
          </div>
        </Tooltip>
      ))}
    </div>
  );
}
