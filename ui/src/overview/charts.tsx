import { SimpleGrid, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { ButtonLink, TextLink } from "../parts/link";
import { Loaded, Panel } from "../parts/page";
import { useLanguage, useText } from "../text";
import { Ranking } from "./bars";
import { type Fleet, weekly } from "./fleet";
import { endsQuery } from "./queries";
import { StatusBar } from "./statusbar";
import { Weeks } from "./weeks";

const weeks = 13;
const most = 6;

/** Charts draw the fleet: how its tokens stand, what they run, what ends when, and why secrets were taken. */
export function Charts({ fleet }: { fleet: Fleet }) {
  const t = useText();
  const words = t.overview.charts;
  const number = new Intl.NumberFormat(useLanguage());
  const releases = fleet.releases.byReason.map(({ key, count }) => ({ name: key || words.noReason, count }));
  const firmware = fleet.firmware.map(({ key, count }) => ({ name: key || words.unknown, count, mono: Boolean(key) }));
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
      <Panel title={words.status} aside={<Aside>{words.total(fleet.total, number.format(fleet.total))}</Aside>}>
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
      <Ending />
      <Panel title={words.firmware}>
        <Ranking label={words.firmware} bars={short(firmware, words.others)} none={words.noTokens} />
      </Panel>
      <Panel
        title={words.releases}
        aside={
          fleet.releases.total > 0 ? <Aside>{words.releasesTotal(number.format(fleet.releases.total))}</Aside> : null
        }
      >
        <Ranking label={words.releases} bars={short(releases, words.others)} none={words.releasesNone} />
      </Panel>
    </SimpleGrid>
  );
}

function Aside({ children }: { children: string }) {
  return (
    <Text size="sm" c="dimmed" className="numbers">
      {children}
    </Text>
  );
}

type Bar = { name: string; count: number; mono?: boolean };

/** short puts what does not fit into one last bar. */
function short(bars: Bar[], others: (n: number) => string): Bar[] {
  if (bars.length <= most) return bars;
  const rest = bars.slice(most - 1);
  return [...bars.slice(0, most - 1), { name: others(rest.length), count: rest.reduce((n, b) => n + b.count, 0) }];
}

function Ending() {
  const t = useText();
  const words = t.overview.charts;
  const number = new Intl.NumberFormat(useLanguage());
  const query = useQuery(endsQuery(weeks));
  return (
    <Panel title={words.weeks} aside={<TextLink to="/certificates">{t.certificates.title}</TextLink>}>
      <Loaded query={query} height={150}>
        {({ times, complete }) => {
          const n = times.length;
          const text = n === 0 ? words.weeksNone : words.weeksSome(n, number.format(n));
          return (
            <>
              <Weeks counts={weekly(times, weeks)} />
              <Text size="xs" c="dimmed" mt={6}>
                {complete ? text : words.weeksMore(number.format(n))}
              </Text>
            </>
          );
        }}
      </Loaded>
    </Panel>
  );
}
