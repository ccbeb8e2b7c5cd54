import { Group, Stack, Text } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Schema } from "../api/client";
import { Panel } from "../parts/page";
import { ProblemAlert } from "../parts/problem";
import { When } from "../parts/when";
import { useLanguage, useText } from "../text";
import { bytes, spoken } from "./measure";
import { Meter, type Tone } from "./meter";
import { type Span, span } from "./span";

type Props = {
  vault: UseQueryResult<Schema<"VaultReport">>;
  seal: UseQueryResult<Schema<"AuditSeal">>;
  published: UseQueryResult<Schema<"Status">>;
};

const hour = 3600;
const day = 24 * hour;

/** Freshness shows what must not grow old: revocation list, audit seal, CA. */
export function Freshness(queries: Props) {
  const t = useText().system.freshness;
  const [vault, seal, published] = [queries.vault.data, queries.seal.data, queries.published.data];
  return (
    <Panel title={t.title}>
      <Stack gap="lg">
        {vault?.crl ? <List crl={vault.crl} /> : null}
        {published ? <Published copy={published} /> : null}
        {seal ? <Seal seal={seal} /> : null}
        {vault?.ca ? <Authority ca={vault.ca} /> : null}
        <Failure query={queries.vault} title={`${t.crl}, ${t.ca}`} />
        <Failure query={queries.published} title={t.published} />
        <Failure query={queries.seal} title={t.seal} />
        {vault && !vault.crl ? <Text size="sm">{t.noVault}</Text> : null}
      </Stack>
    </Panel>
  );
}

/** Failure says what could not be looked at: what is missing here is not known to be well. */
function Failure({ query, title }: { query: UseQueryResult<unknown>; title: string }) {
  if (!query.isError) return null;
  return <ProblemAlert title={title} error={query.error} onRetry={() => void query.refetch()} />;
}

function Item({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <div>
      <Group justify="space-between" mb={4} gap="xs">
        <Text size="sm" fw={600}>
          {title}
        </Text>
        {aside ? (
          <Text size="xs" c="dimmed" className="numbers" component="div">
            {aside}
          </Text>
        ) : null}
      </Group>
      {children}
    </div>
  );
}

function Bar({ life, said }: { life: Span; said: string }) {
  const tone: Tone = life.tone;
  return <Meter label={said} parts={[{ share: life.passed, tone }]} />;
}

function List({ crl }: { crl: NonNullable<Schema<"VaultReport">["crl"]> }) {
  const t = useText().system.freshness;
  const language = useLanguage();
  // The server renews it hourly; with less than twelve hours left something is wrong.
  const life = span(crl.this_update, crl.next_update, 12 * hour);
  const said = life.left > 0 ? t.crlLeft(spoken(life.left, language)) : t.crlOver;
  return (
    <Item title={t.crl} aside={t.crlNumber(new Intl.NumberFormat(language).format(crl.number))}>
      <Bar life={life} said={said} />
      <Text size="xs" c="dimmed" mt={4} component="div">
        {t.crlIssued} <When at={crl.this_update} />, {said}
      </Text>
    </Item>
  );
}

function Published({ copy }: { copy: Schema<"Status"> }) {
  const t = useText().system.freshness;
  const language = useLanguage();
  return (
    <Item title={t.published}>
      <Text size="xs" c={copy.is_stale ? undefined : "dimmed"} component="div">
        {copy.cached && copy.fetched_at ? (
          <>
            {t.publishedAt(bytes(copy.size_bytes, language))} <When at={copy.fetched_at} />
            {copy.is_stale ? <div>{t.publishedStale}</div> : null}
          </>
        ) : (
          t.publishedNone
        )}
      </Text>
    </Item>
  );
}

function Seal({ seal }: { seal: Schema<"AuditSeal"> }) {
  const t = useText().system.freshness;
  const language = useLanguage();
  const count = new Intl.NumberFormat(language).format(seal.unsealed);
  const waiting = seal.unsealed === 0 ? t.sealed : seal.unsealed === 1 ? t.waitingOne : t.waiting(count);
  const tone: Tone = seal.problem ? "bad" : late(seal.oldest_unsealed_at) ? "warn" : "good";
  const total = seal.last_sealed_id + seal.unsealed;
  return (
    <Item
      title={t.seal}
      aside={
        seal.sealed_at ? (
          <>
            {t.sealedAt} <When at={seal.sealed_at} />
          </>
        ) : null
      }
    >
      <Meter label={waiting} parts={[{ share: total > 0 ? seal.last_sealed_id / total : 0, tone }]} />
      <Text size="xs" c="dimmed" mt={4}>
        {seal.sealed_at ? waiting : t.sealNever}
      </Text>
      {seal.problem ? (
        <Text size="sm" mt={4}>
          {seal.problem}
        </Text>
      ) : null}
    </Item>
  );
}

function late(oldest: string | null): boolean {
  return oldest !== null && Date.now() - Date.parse(oldest) > 5 * 60_000;
}

function Authority({ ca }: { ca: NonNullable<Schema<"VaultReport">["ca"]> }) {
  const t = useText().system.freshness;
  const language = useLanguage();
  const life = span(ca.not_before, ca.not_after, 90 * day);
  const said = t.crlLeft(spoken(life.left, language));
  return (
    <Item
      title={t.ca}
      aside={
        <>
          {t.caEnds} <When at={ca.not_after} as="day" />
        </>
      }
    >
      <Bar life={life} said={said} />
    </Item>
  );
}
