import { Group, Text } from "@mantine/core";
import type { Schema } from "../api/client";
import { api, ask } from "../api/client";
import { type Column, List } from "../parts/list";
import { Panel } from "../parts/page";
import { When } from "../parts/when";
import { useText } from "../text";
import classes from "./card.module.css";
import { Releases } from "./releases";

type Entry = Schema<"AuditEntry">;

/** History shows what the audit log says of a token, as far as the person may read it. */
export function History({ serial }: { serial: string }) {
  const words = useText().tokens;
  const columns: Column<Entry>[] = [
    {
      id: "what",
      header: words.page.columns.what,
      cell: (e) => (
        <>
          <Group gap={8}>
            <Text size="sm" component="span" title={e.action}>
              {words.events[e.action] ?? e.action}
            </Text>
            {e.outcome === "success" ? null : (
              <Text size="xs" component="span" className={classes.warn}>
                {words.outcomes[e.outcome]}
              </Text>
            )}
          </Group>
          <Text size="xs" c="dimmed" hiddenFrom="sm">
            {words.page.who(e.actor)}
          </Text>
        </>
      ),
    },
    { id: "who", header: words.page.columns.who, cell: (e) => e.actor, from: "sm" },
    { id: "at", header: words.page.columns.at, cell: (e) => <When at={e.at} />, right: true },
  ];
  return (
    <Panel title={words.page.history}>
      <Releases serial={serial} />
      <List
        label={words.page.history}
        queryKey={["hwkey", serial, "history"]}
        fetch={(cursor, limit) =>
          ask(
            api.GET("/api/admin/audit", {
              params: { query: { target: serial, limit, cursor } },
            }),
          )
        }
        columns={columns}
        rowKey={(e) => e.id}
        limit={10}
        empty={
          <Text size="sm" c="dimmed">
            {words.page.historyEmpty}
          </Text>
        }
      />
    </Panel>
  );
}
