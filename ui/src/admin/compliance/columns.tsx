import { ActionIcon, Table, Text, Tooltip } from "@mantine/core";
import { IconChartBar, IconTable } from "@tabler/icons-react";
import { useState } from "react";
import { Panel } from "../../parts/page";
import { useLanguage, useText } from "../../text";
import type { Bar, Expiries, Unit } from "./buckets";
import classes from "./columns.module.css";

const forms: Record<Unit, Intl.DateTimeFormatOptions> = {
  day: { day: "numeric", month: "short" },
  week: { day: "numeric", month: "short" },
  month: { month: "short", year: "2-digit" },
  year: { year: "numeric" },
};

const tall = 132; // px of the highest column

type Props = { expiries: Expiries; days: number };

/** ExpiryPanel shows when certificates end, as columns along the time or as a table. */
export function ExpiryPanel({ expiries, days }: Props) {
  const t = useText();
  const number = new Intl.NumberFormat(useLanguage());
  const [table, setTable] = useState(false);
  const words = t.compliance.charts;
  const { unit, bars, later } = expiries;
  const total = bars.reduce((n, b) => n + b.count, later);
  const Sign = table ? IconChartBar : IconTable;
  const other = table ? words.asChart : words.asTable;
  const aside = (
    <Tooltip label={other}>
      <ActionIcon
        className="no-print"
        variant="subtle"
        color="gray"
        aria-label={other}
        onClick={() => setTable(!table)}
      >
        <Sign size={18} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
  const shown = total > 0 && bars.length > 0;
  return (
    <Panel title={shown ? `${words.expiries} ${words.perPeriod[unit]}` : words.expiries} aside={shown ? aside : null}>
      {shown ? table ? <Numbers unit={unit} bars={bars} /> : <Columns unit={unit} bars={bars} total={total} /> : null}
      {total === 0 ? (
        <Text size="sm" c="dimmed">
          {words.noExpiries(number.format(days))}
        </Text>
      ) : null}
      {later > 0 ? (
        <Text size="sm" c="dimmed" mt={shown ? "xs" : 0}>
          {shown ? words.later(number.format(later)) : words.tooMany(number.format(later))}
        </Text>
      ) : null}
    </Panel>
  );
}

function Columns({ unit, bars, total }: { unit: Unit; bars: Bar[]; total: number }) {
  const t = useText();
  const language = useLanguage();
  const number = new Intl.NumberFormat(language);
  const date = new Intl.DateTimeFormat(language, forms[unit]);
  const most = bars.reduce((a, b) => (b.count > a.count ? b : a));
  // Names below each other's neighbours need room.
  const every = Math.ceil(bars.length / 8);
  return (
    <figure
      className={classes.figure}
      role="img"
      aria-label={t.compliance.charts.sentence(
        number.format(total),
        date.format(most.start),
        number.format(most.count),
      )}
    >
      {bars.map((b, i) => (
        <div key={b.start.getTime()} className={classes.column}>
          <div className={classes.count}>
            {b.count > 0 && (bars.length <= 16 || b === most) ? number.format(b.count) : ""}
          </div>
          <div className={classes.bar} style={{ height: `${(tall * b.count) / Math.max(1, most.count)}px` }} />
          <div className={classes.name}>
            {i % every === 0 ? (
              <span data-second={(i / every) % 2 === 1 || undefined}>{date.format(b.start)}</span>
            ) : null}
          </div>
        </div>
      ))}
    </figure>
  );
}

function Numbers({ unit, bars }: { unit: Unit; bars: Bar[] }) {
  const t = useText();
  const language = useLanguage();
  const number = new Intl.NumberFormat(language);
  const date = new Intl.DateTimeFormat(
    language,
    unit === "year" || unit === "month" ? forms[unit] : { dateStyle: "medium" },
  );
  const words = t.compliance.charts;
  return (
    <Table verticalSpacing={4} aria-label={words.expiries} className="numbers">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{words.period[unit]}</Table.Th>
          <Table.Th ta="right">{words.count}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {bars.map((b) => (
          <Table.Tr key={b.start.getTime()}>
            <Table.Td>{date.format(b.start)}</Table.Td>
            <Table.Td ta="right">{number.format(b.count)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
