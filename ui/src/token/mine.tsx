import { Button, Group, SimpleGrid, Skeleton, Stack, Text, Title } from "@mantine/core";
import { IconPlug, IconUsb } from "@tabler/icons-react";
import { useQueries } from "@tanstack/react-query";
import { useState } from "react";
import { useAgent } from "../agent/state";
import { Empty, Page, Panel } from "../parts/page";
import { ProblemAlert } from "../parts/problem";
import { useSettled } from "../parts/settle";
import { useMay, useMe } from "../session/hooks";
import { useText } from "../text";
import { Away } from "./away";
import classes from "./card.module.css";
import { deviceQuery, useMine } from "./data";
import { FlowDialog } from "./dialog";
import { AgentFailure } from "./failurepanel";
import type { Device, Request } from "./next";
import { AgentPill } from "./pill";
import { Plugged } from "./plugged";

/** MyTokens shows what is plugged in now beside what is on record, and what to do next. */
export function MyTokens() {
  const words = useText().tokens;
  const me = useMe();
  const may = useMay();
  const state = useAgent();
  const mine = useMine(me.id);
  const [flow, setFlow] = useState<{ device: Device; request: Request } | null>(null);
  const plugged = "tokens" in state ? state.tokens : [];
  const reading = state.kind === "checking" || ("reading" in state && state.reading);
  // A token that another program uses is there as well: AgentFailure says so.
  const inUse = "tokens" in state && state.inUse.length > 0;
  const reached = "tokens" in state && !reading && !state.problem && !inUse;
  const own = mine.data?.pages.flatMap((p) => p.items) ?? [];
  const away = own.filter((d) => !plugged.some((p) => p.serial === d.serial));
  const onFlow = (device: Device, request: Request) => setFlow({ device, request });
  const nothing = mine.data && own.length === 0 && plugged.length === 0 && !reading && !inUse;
  // What is plugged in stands first and moves out of what is on record: neither is shown without the other.
  const records = useQueries({ queries: plugged.map((p) => deviceQuery(p.serial)) });
  const shown = useSettled(!reading && !mine.isPending && records.every((r) => !r.isPending));
  if (!shown) {
    return (
      <Page title={words.title} actions={<AgentPill />} below>
        <Reading />
      </Page>
    );
  }
  return (
    <Page title={words.title} actions={<AgentPill />} below>
      <AgentFailure />
      {plugged.length > 0 ? (
        <Stack gap="md" component="section" aria-label={words.sections.plugged}>
          {plugged.map((token) => (
            <Plugged key={token.serial} token={token} onFlow={onFlow} />
          ))}
        </Stack>
      ) : null}
      {reading && plugged.length === 0 ? <Reading /> : null}
      {reached && plugged.length === 0 && !nothing ? (
        <Panel>
          <Group gap="sm" wrap="nowrap">
            <IconPlug size={22} aria-hidden />
            <Text size="sm">
              <b>{words.sections.none}</b> {words.sections.plugIn}
            </Text>
          </Group>
        </Panel>
      ) : null}
      {nothing ? (
        <Panel>
          <Empty
            icon={IconUsb}
            title={words.empty.title}
            text={may("register-hwkey") ? words.empty.manager : words.empty.text}
          />
        </Panel>
      ) : null}
      {mine.isError ? <ProblemAlert error={mine.error} onRetry={() => void mine.refetch()} /> : null}
      {mine.isPending ? <Skeleton height={150} radius="lg" /> : null}
      {away.length > 0 ? (
        <Stack gap="sm">
          <Title order={2}>{reached ? words.sections.record : words.sections.recordOnly}</Title>
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="sm">
            {away.map((d) => (
              <Away key={d.serial} device={d} />
            ))}
          </SimpleGrid>
          {mine.hasNextPage ? (
            <Group justify="center">
              <Button variant="default" onClick={() => void mine.fetchNextPage()} loading={mine.isFetchingNextPage}>
                {words.sections.more}
              </Button>
            </Group>
          ) : null}
        </Stack>
      ) : null}
      {flow ? (
        <FlowDialog
          key={`${flow.device.serial} ${flow.request.what} ${flow.request.slot ?? ""}`}
          device={flow.device}
          request={flow.request}
          onClose={() => setFlow(null)}
        />
      ) : null}
    </Page>
  );
}

/** Reading stands where the first token will. */
function Reading() {
  const t = useText();
  return <Skeleton className={classes.reading} radius="lg" role="status" aria-label={t.common.loading} />;
}
