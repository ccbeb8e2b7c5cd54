import { Card, Text } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useLanguage, useText } from "../../text";
import type { Whole } from "./merge";
import classes from "./tiles.module.css";

/** notSetUp counts the tokens that somebody has, and that have no secrets of Keyward's yet. */
export const notSetUp = (whole: Whole) => whole.byStatus.find((s) => s.status === "assigned")?.count ?? 0;

/** Tiles are the numbers of the report that people look for first; each leads to its list. */
export function Tiles({ whole }: { whole: Whole }) {
  const t = useText();
  const words = t.compliance.tiles;
  return (
    <div className={classes.tiles}>
      <Tile name={words.tokens} value={whole.tokens} to="#by-status" />
      <Tile
        name={words.notSetUp}
        value={notSetUp(whole)}
        list={{ to: "/admin/tokens", search: { status: "assigned" } }}
        watched
      />
      <Tile name={words.old} value={whole.old.count} to="#old-secrets" watched />
      <Tile name={words.expired} value={whole.expired.count} to="#expired" watched />
      <Tile name={words.expiring} value={whole.expiring.count} to="#expiring" watched />
      <Tile name={words.tokenless} value={whole.tokenless.count} to="#tokenless" watched />
      <Tile name={words.releases} value={whole.releases} to="#releases" />
    </div>
  );
}

type TileProps = {
  name: string;
  value: number;
  /** Where on this page its list is. */
  to?: string;
  /** Its list, on a page of its own. */
  list?: { to: string; search: Record<string, string> };
  /** Any number but none wants somebody to look. */
  watched?: boolean;
};

function Tile({ name, value, to, list, watched }: TileProps) {
  const language = useLanguage();
  const attention = watched && value > 0;
  const Sign = attention ? IconAlertTriangle : IconCircleCheck;
  const inside = (
    <>
      <span className={classes.value} data-attention={attention || undefined}>
        {new Intl.NumberFormat(language).format(value)}
        {watched ? <Sign size={18} aria-hidden /> : null}
      </span>
      <Text span size="sm" c="dimmed">
        {name}
      </Text>
    </>
  );
  if (!list) {
    return (
      <Card component="a" href={to} className={classes.tile}>
        {inside}
      </Card>
    );
  }
  return (
    <Card component={Link} to={list.to} search={list.search as never} className={classes.tile}>
      {inside}
    </Card>
  );
}
