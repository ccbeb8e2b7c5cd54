import { Skeleton, Stack } from "@mantine/core";
import { IconUsb } from "@tabler/icons-react";
import type { UseQueryResult } from "@tanstack/react-query";
import { useAgent } from "../agent/state";
import type { Schema } from "../api/client";
import { Empty, Panel } from "../parts/page";
import { called } from "../parts/person";
import { day } from "../parts/when";
import { useMe } from "../session/hooks";
import { useLanguage, useText } from "../text";
import { useCards } from "./cards";
import { Failures } from "./failures";
import { type Ended, earliestEnd } from "./mine";
import { mineTasks } from "./minetasks";
import { OwnTokens } from "./owntokens";
import { Nothing, Todo } from "./todo";

/** Own is what the first page knows of the person's own tokens. */
export type Own = { tokens: Schema<"HWKey">[]; certificates: UseQueryResult<Ended[]> };

/** UserOverview is the first page of whoever looks after the own tokens alone. */
export function UserOverview({ tokens, certificates }: Own) {
  const t = useText();
  const me = useMe();
  const language = useLanguage();
  const words = t.overview.todo;
  const cards = useCards(tokens);
  const tasks = mineTasks(t, tokens, certificates.data ?? [], cards.seen, useAgent().kind);
  if (tokens.length === 0) {
    return (
      <Panel>
        <Empty icon={IconUsb} title={words.noToken} text={words.noTokenText} />
      </Panel>
    );
  }
  const end = earliestEnd(tokens);
  return (
    <Stack gap="md">
      <Panel title={words.title}>
        {tasks.length > 0 ? (
          <Todo tasks={tasks} />
        ) : certificates.isSuccess && !cards.reading ? (
          <Nothing title={words.nothing(called(me))} text={end ? words.nothingMine(day(end, language)) : ""} />
        ) : certificates.isPending || cards.reading ? (
          <Skeleton height={52} role="status" aria-label={t.common.loading} />
        ) : null}
        <Failures queries={[certificates]} />
      </Panel>
      <OwnTokens tokens={tokens} />
    </Stack>
  );
}
