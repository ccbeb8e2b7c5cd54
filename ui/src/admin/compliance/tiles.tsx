import { Card, Text } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import type { Listed } from "../../parts/listlink";
import { useLanguage, useText } from "../../text";
import type { Report, Whole } from "./merge";
import * as places from "./places";
import classes from "./tiles.module.css";

/** notSetUp counts the tokens that somebody has, and that have no secrets of Keyward's yet. */
export const notSetUp = (whole: Whole) => whole.byStatus.find((s) => s.status === "assigned")?.count ?? 0;

/** inUse counts the tokens that were set up, and can be used. */
export const inUse = (whole: Whole) => whole.byStatus.find((s) => s.status === "active")?.count ?? 0;

type TilesProps = {
  whole: Whole;
  parameters: Report["parameters"];
  /** When the report was made. */
  at: string;
  /** The one that the report is about, where there are more. */
  organization: number | undefined;
};

/** Tiles are the numbers of the report that people look for first; each leads to its list. */
export function Tiles({ whole, parameters, at, organization }: TilesProps) {
  const t = useText();
  const words = t.compliance.tiles;
  // Where nothing is in use, nothing is as it should be either.
  const any = inUse(whole) > 0;
  return (
    <div className={classes.tiles}>
      <Tile name={words.tokens} value={whole.tokens} list={places.status(undefined, organization)} />
      <Tile
        name={words.notSetUp}
        value={notSetUp(whole)}
        list={places.status("assigned", organization)}
        watched={whole.tokens > 0}
      />
      <Tile
        name={words.old}
        value={whole.old.count}
        list={places.oldSecrets(parameters.secrets_older_than_days, organization)}
        watched={any || whole.old.count > 0}
      />
      <Tile
        name={words.expired}
        value={whole.expired.count}
        list={places.lapsed(organization)}
        watched={any || whole.expired.count > 0}
      />
      <Tile
        name={words.expiring}
        value={whole.expiring.count}
        list={places.ending(parameters.expiring_within_days, organization)}
        watched={any || whole.expiring.count > 0}
      />
      <Tile name={words.tokenless} value={whole.tokenless.count} list={places.tokenless(organization)} watched />
      <Tile name={words.releases} value={whole.releases} list={places.releases(parameters, at, organization)} />
    </div>
  );
}

type TileProps = {
  name: string;
  value: number;
  list: Listed;
  /** Any number but none wants somebody to look. */
  watched?: boolean;
};

function Tile({ name, value, list, watched }: TileProps) {
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
  return (
    <Card component={Link} to={list.to} search={list.search as never} className={classes.tile}>
      {inside}
    </Card>
  );
}
