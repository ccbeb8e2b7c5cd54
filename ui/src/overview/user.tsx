import { Stack } from "@mantine/core";
import { IconUsb } from "@tabler/icons-react";
import { useAgent } from "../agent/state";
import type { Schema } from "../api/client";
import { Empty, Panel } from "../parts/page";
import { day } from "../parts/when";
import { useMe } from "../session/hooks";
import { useLanguage, useText } from "../text";
import { earliestEnd } from "./mine";
import { mineTasks } from "./minetasks";
import { OwnTokens } from "./owntokens";
import { Nothing, Todo } from "./todo";

/** UserOverview is the first page of whoever looks after the own tokens alone. */
export function UserOverview({ tokens }: { tokens: Schema<"HWKey">[] }) {
  const t = useText();
  const me = useMe();
  const language = useLanguage();
  const words = t.overview.todo;
  const tasks = mineTasks(t, tokens, useAgent().kind);
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
        ) : (
          <Nothing title={words.nothing(me.username)} text={end ? words.nothingMine(day(end, language)) : ""} />
        )}
      </Panel>
      <OwnTokens tokens={tokens} />
    </Stack>
  );
}
