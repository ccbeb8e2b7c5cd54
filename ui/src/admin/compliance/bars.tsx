import { Button, Group, Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { type Listed, NumberLink } from "../../parts/listlink";
import { useLanguage, useText } from "../../text";
import classes from "./bars.module.css";

/** BarRow is a number with its name; fill is a CSS colour, for what has a meaning of its own; list what it counts, said its name as a text. */
type BarRow = { key: string; name: ReactNode; count: number; fill?: string; list?: Listed; said?: string };

type Props = {
  label: string;
  rows: BarRow[];
  /** What the shares are of. */
  total: number;
  /** Said when there is nothing to count. */
  empty: string;
  /** The names are sentences. */
  wide?: boolean;
};

const short = 8;
// One or two rows more are no reason for a button.
const spare = 2;

/**
 * Bars show numbers beside each other. It is a table, so that what the bars
 * say stands beside them for everybody, on paper too.
 */
export function Bars({ label, rows, total, empty, wide }: Props) {
  const t = useText();
  const language = useLanguage();
  const [all, setAll] = useState(false);
  const number = new Intl.NumberFormat(language);
  const percent = new Intl.NumberFormat(language, {
    style: "percent",
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
  });
  const cut = rows.length > short + spare && !all;
  const most = Math.max(1, ...rows.map((r) => r.count));
  if (total === 0) {
    return (
      <Text size="sm" c="dimmed">
        {empty}
      </Text>
    );
  }
  return (
    <>
      <table className={classes.bars} data-wide={wide || undefined} aria-label={label}>
        <thead className={classes.hidden}>
          <tr>
            <th scope="col">{t.compliance.charts.what}</th>
            <td />
            <th scope="col">{t.compliance.charts.count}</th>
            <th scope="col">{t.compliance.charts.share}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((r, i) => (
            <tr key={r.key} className={i >= short && cut ? classes.more : undefined}>
              <th scope="row">{r.name}</th>
              <td className={classes.track}>
                {r.count > 0 ? (
                  <div
                    className={classes.bar}
                    style={{
                      width: `${(100 * r.count) / most}%`,
                      background: r.fill ?? "var(--mantine-color-accent-filled)",
                    }}
                  />
                ) : null}
              </td>
              <td className={classes.count}>
                <NumberLink list={r.list} said={`${r.said ?? r.name}: ${number.format(r.count)}`}>
                  {number.format(r.count)}
                </NumberLink>
              </td>
              <td className={classes.share}>{percent.format(r.count / total)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {cut ? (
        <Group className="no-print" mt="xs">
          <Button variant="subtle" size="compact-sm" onClick={() => setAll(true)}>
            {t.compliance.charts.more(rows.length)}
          </Button>
        </Group>
      ) : null}
    </>
  );
}
