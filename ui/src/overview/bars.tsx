import { Text } from "@mantine/core";
import { type Listed, NumberLink } from "../parts/listlink";
import { useLanguage } from "../text";
import classes from "./charts.module.css";

type Props = {
  label: string;
  bars: { name: string; count: number; mono?: boolean; list?: Listed }[];
  /** Said where there is nothing to draw. */
  none: string;
};

/** Ranking draws counts as bars, each beside its name and its number. */
export function Ranking({ label, bars, none }: Props) {
  const number = new Intl.NumberFormat(useLanguage());
  const greatest = Math.max(...bars.map((b) => b.count), 1);
  if (bars.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {none}
      </Text>
    );
  }
  return (
    <ul className={classes.ranking} aria-label={label}>
      {bars.map((b) => (
        <li key={b.name}>
          <span className={b.mono ? "mono" : undefined}>{b.name}</span>
          <span className={classes.track} aria-hidden>
            <span className={classes.bar} style={{ width: `${(b.count / greatest) * 100}%` }} />
          </span>
          <span className="numbers">
            <NumberLink list={b.list} said={`${b.name}: ${number.format(b.count)}`}>
              {number.format(b.count)}
            </NumberLink>
          </span>
        </li>
      ))}
    </ul>
  );
}
