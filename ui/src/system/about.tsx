import { Card, SimpleGrid, Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { Schema } from "../api/client";
import { Copyable } from "../parts/copy";
import { exact, When } from "../parts/when";
import { useLanguage, useText } from "../text";
import { goSeconds, spoken } from "./measure";

/** About says what runs, and since when. */
export function About({ info }: { info: Schema<"ServerInfo"> }) {
  const t = useText().system.about;
  const language = useLanguage();
  const engine = (name: string) => t.engineNames[name] ?? name;
  const items: [string, ReactNode][] = [
    [t.version, <span key="v">{info.version}</span>],
    ...(info.commit ? [[t.commit, <Commit key="c" info={info} commit={info.commit} />] as [string, ReactNode]] : []),
    [
      t.uptime,
      <span key="u" className="numbers">
        <span title={`${t.since} ${exact(info.started_at, language)}`}>{spoken(goSeconds(info.uptime), language)}</span>
      </span>,
    ],
    [t.engines, `${engine(info.engines.database)}, ${engine(info.engines.vault)}`],
    [t.platform, `${info.platform}, ${info.go_version}`],
    [t.site, <Copyable key="s" value={info.site_url} label={t.site} />],
  ];
  return (
    <Card component="section" aria-label={t.title} py="sm">
      <SimpleGrid component="dl" cols={{ base: 1, xs: 2, lg: items.length }} spacing="md" verticalSpacing="xs" m={0}>
        {items.map(([name, value]) => (
          <div key={name}>
            <Text component="dt" size="xs" c="dimmed">
              {name}
            </Text>
            <Text component="dd" size="sm" m={0} style={{ overflowWrap: "anywhere" }}>
              {value}
            </Text>
          </div>
        ))}
      </SimpleGrid>
    </Card>
  );
}

function Commit({ info, commit }: { info: Schema<"ServerInfo">; commit: string }) {
  const t = useText().system.about;
  return (
    <>
      <Copyable value={commit} label={t.commit}>
        <span className="mono">{commit.slice(0, 12)}</span>
      </Copyable>
      {info.commit_at ? (
        <>
          {" "}
          <When at={info.commit_at} as="day" />
        </>
      ) : null}
      {info.modified ? `, ${t.modified}` : null}
    </>
  );
}
