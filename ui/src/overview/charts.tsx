import { SimpleGrid, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { firmware as firmwareOf, releases as releasesSince, status } from "../admin/compliance/places";
import { countOf } from "../admin/compliance/weeks";
import { ButtonLink, TextLink } from "../parts/link";
import { type Listed, NumberLink } from "../parts/listlink";
import { Panel } from "../parts/page";
import { useLanguage, useText } from "../text";
import { Ranking } from "./bars";
import type { Fleet } from "./fleet";
import { StatusBar } from "./statusbar";
import { Weeks } from "./weeks";

const weeksShown = 13;
const most = 6;

/** Charts draw the fleet: how its tokens stand, what they run, what ends when, and why secrets were taken. */
export function Charts({ fleet }: { fleet: Fleet }) {
  const t = useText();
  const words = t.overview.charts;
  const number = new Intl.NumberFormat(useLanguage());
  const releases = fleet.releases.byReason.map(({ key, count }) => ({ name: key || words.noReason, count }));
  const firmware = fleet.firmware.map(({ key, count }) => ({
    name: key || words.unknown,
    count,
    mono: Boolean(key),
    list: firmwareOf(key),
  }));
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
      <Panel
        title={words.status}
        aside={
          <Aside>
            <NumberLink list={status(undefined)} said={words.total(fleet.total, number.format(fleet.total))}>
              {words.total(fleet.total, number.format(fleet.total))}
            </NumberLink>
          </Aside>
        }
      >
        {fleet.total > 0 ? (
          <StatusBar byStatus={fleet.byStatus} total={fleet.total} />
        ) : (
          <>
            <Text size="sm" mb="sm">
              {words.noTokens}
            </Text>
            <ButtonLink to="/admin/tokens" variant="default" size="xs">
              {words.noTokensAction}
            </ButtonLink>
          </>
        )}
      </Panel>
      <Ending fleet={fleet} />
      <Panel title={words.firmware}>
        <Ranking label={words.firmware} bars={short(firmware, words.others)} none={words.noTokens} />
      </Panel>
      <Panel
        title={words.releases}
        aside={
          fleet.releases.total > 0 ? (
            <Aside>
              <NumberLink
                list={releasesSince({ from: fleet.releases.since })}
                said={words.releasesTotal(number.format(fleet.releases.total))}
              >
                {words.releasesTotal(number.format(fleet.releases.total))}
              </NumberLink>
            </Aside>
          ) : null
        }
      >
        <Ranking label={words.releases} bars={short(releases, words.others)} none={words.releasesNone} />
      </Panel>
    </SimpleGrid>
  );
}

function Aside({ children }: { children: ReactNode }) {
  return (
    <Text size="sm" c="dimmed" className="numbers">
      {children}
    </Text>
  );
}

type Bar = { name: string; count: number; mono?: boolean; list?: Listed };

/** short puts what does not fit into one last bar. */
function short(bars: Bar[], others: (n: number) => string): Bar[] {
  if (bars.length <= most) return bars;
  const rest = bars.slice(most - 1);
  return [...bars.slice(0, most - 1), { name: others(rest.length), count: rest.reduce((n, b) => n + b.count, 0) }];
}

function Ending({ fleet }: { fleet: Fleet }) {
  const t = useText();
  const words = t.overview.charts;
  const number = new Intl.NumberFormat(useLanguage());
  const weeks = fleet.weeks.slice(0, weeksShown);
  const n = countOf(weeks);
  return (
    <Panel title={words.weeks} aside={<TextLink to="/certificates">{t.certificates.title}</TextLink>}>
      <Weeks weeks={weeks} />
      <Text size="xs" c="dimmed" mt={6}>
        {n === 0
          ? words.weeksNone(fleet.valid, number.format(fleet.valid), weeks.length)
          : words.weeksSome(n, number.format(n), number.format(fleet.valid), weeks.length)}
      </Text>
    </Panel>
  );
}
