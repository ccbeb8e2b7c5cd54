import { Card, Text } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck } from "@tabler/icons-react";
import { useLanguage, useText } from "../../text";
import type { Whole } from "./merge";
import classes from "./tiles.module.css";

/** Tiles are the numbers of the report that people look for first; each leads to its list. */
export function Tiles({ whole }: { whole: Whole }) {
  const t = useText();
  const words = t.compliance.tiles;
  return (
    <div className={classes.tiles}>
      <Tile name={words.tokens} value={whole.tokens} to="#by-status" />
      <Tile name={words.old} value={whole.old.count} to="#old-secrets" watched />
      <Tile name={words.expired} value={whole.expired.count} to="#expired" watched />
      <Tile name={words.expiring} value={whole.expiring.count} to="#expiring" watched />
      <Tile name={words.tokenless} value={whole.tokenless.count} to="#tokenless" watched />
      <Tile name={words.releases} value={whole.releases} to="#releases" />
    </div>
  );
}

/** watched: any number but none wants somebody to look. */
function Tile({ name, value, to, watched }: { name: string; value: number; to: string; watched?: boolean }) {
  const language = useLanguage();
  const attention = watched && value > 0;
  const Sign = attention ? IconAlertTriangle : IconCircleCheck;
  return (
    <Card component="a" href={to} className={classes.tile}>
      <span className={classes.value} data-attention={attention || undefined}>
        {new Intl.NumberFormat(language).format(value)}
        {watched ? <Sign size={18} aria-hidden /> : null}
      </span>
      <Text span size="sm" c="dimmed">
        {name}
      </Text>
    </Card>
  );
}
