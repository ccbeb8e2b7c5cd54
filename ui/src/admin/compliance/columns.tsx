import { ActionIcon, Table, Text, Tooltip } from "@mantine/core";
import { IconChartBar, IconTable } from "@tabler/icons-react";
import { useState } from "react";
import { NumberLink } from "../../parts/listlink";
import { Panel } from "../../parts/page";
import { useLanguage, useText } from "../../text";
import classes from "./columns.module.css";
import { week } from "./places";
import { WeekLink } from "./weeklink";
import { countOf, type Week, weekFormat } from "./weeks";

const tall = 132; // px of the highest column

type Props = {
  weeks: Week[];
  /** How many end after these weeks, and still within the days that were asked for. */
  later: number;
  /** Certificates neither revoked nor expired. */
  valid: number;
  /** The one that the report is about, where there are more. */
  organization: number | undefined;
};

/** ExpiryPanel shows when certificates end, as columns along the time or as a table. */
export function ExpiryPanel({ weeks, later, valid, organization }: Props) {
  const t = useText();
  const number = new Intl.NumberFormat(useLanguage());
  const [table, setTable] = useState(false);
  const words = t.compliance.charts;
  const total = countOf(weeks);
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
  return (
    <Panel title={words.expiries} aside={total > 0 ? aside : null}>
      {total === 0 ? (
        <Text size="sm" c="dimmed">
          {t.overview.charts.weeksNone(valid, number.format(valid), weeks.length)}
        </Text>
      ) : table ? (
        <Numbers weeks={weeks} organization={organization} />
      ) : (
        <Columns weeks={weeks} total={total} organization={organization} />
      )}
      {later > 0 ? (
        <Text size="sm" c="dimmed" mt="xs">
          {words.later(later, number.format(later))}
        </Text>
      ) : null}
    </Panel>
  );
}

type ColumnsProps = { weeks: Week[]; total: number; organization: number | undefined };

function Columns({ weeks, total, organization }: ColumnsProps) {
  const t = useText();
  const language = useLanguage();
  const number = new Intl.NumberFormat(language);
  const date = weekFormat(language);
  const most = weeks.reduce((a, b) => (b.count > a.count ? b : a));
  // Names below each other's neighbours need room.
  const every = Math.ceil(weeks.length / 8);
  return (
    <figure
      className={classes.figure}
      aria-label={t.compliance.charts.sentence(
        total,
        number.format(total),
        weeks.length,
        date.format(most.start),
        number.format(most.count),
      )}
    >
      {weeks.map((w, i) => (
        <div key={w.start.getTime()} className={classes.column}>
          <WeekLink
            list={w.count > 0 ? week(w.start, organization) : undefined}
            said={t.overview.charts.week(date.format(w.start), number.format(w.count))}
          >
            <span className={classes.count} aria-hidden>
              {w === most ? number.format(w.count) : ""}
            </span>
            <span className={classes.bar} style={{ height: `${(tall * w.count) / most.count}px` }} aria-hidden />
          </WeekLink>
          <div className={classes.name} aria-hidden>
            {i % every === 0 && i + every <= weeks.length ? (
              <span data-second={(i / every) % 2 === 1 || undefined}>{date.format(w.start)}</span>
            ) : null}
          </div>
        </div>
      ))}
    </figure>
  );
}

function Numbers({ weeks, organization }: { weeks: Week[]; organization: number | undefined }) {
  const t = useText();
  const language = useLanguage();
  const number = new Intl.NumberFormat(language);
  const date = weekFormat(language, "full");
  const words = t.compliance.charts;
  return (
    <Table verticalSpacing={4} aria-label={words.expiries} className="numbers">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{words.week}</Table.Th>
          <Table.Th ta="right">{words.count}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {weeks.map((w) => (
          <Table.Tr key={w.start.getTime()}>
            <Table.Td>{date.format(w.start)}</Table.Td>
            <Table.Td ta="right">
              <NumberLink
                list={w.count > 0 ? week(w.start, organization) : undefined}
                said={t.overview.charts.week(date.format(w.start), number.format(w.count))}
              >
                {number.format(w.count)}
              </NumberLink>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
