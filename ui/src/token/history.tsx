import { Group, Text } from "@mantine/core";
import { actorName } from "../admin/audit/actions";
import { fields } from "../admin/audit/fields";
import { api, ask, type Schema } from "../api/client";
import { type Column, List } from "../parts/list";
import { Panel } from "../parts/page";
import { When } from "../parts/when";
import { useText } from "../text";
import classes from "./card.module.css";
import { reasonOf, whatOf } from "./reason";
import { Releases } from "./releases";

type Entry = Schema<"AuditEntry">;

/** History shows what happened to a token, whoever did it; to its owner, since they have it. */
export function History({ serial }: { serial: string }) {
  const t = useText();
  const words = t.tokens;
  const by = (e: Entry) => actorName(t.audit, e.actor);
  const columns: Column<Entry>[] = [
    {
      id: "what",
      header: words.page.columns.what,
      cell: (e) => (
        <>
          <Group gap={8}>
            <Text size="sm" component="span" title={e.action}>
              {words.events[e.action] ?? e.action}
              {whatOf(e, t)}
            </Text>
            {e.outcome === "success" ? null : (
              <Text size="xs" component="span" className={classes.warn}>
                {words.outcomes[e.outcome]}
              </Text>
            )}
          </Group>
          {e.reason ? (
            <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
              {words.page.reason(reasonOf(e, t.certificates.revoke.reasons))}
            </Text>
          ) : null}
          <Text size="xs" c="dimmed" hiddenFrom="sm">
            {words.page.who(by(e))}
          </Text>
        </>
      ),
    },
    { id: "who", header: words.page.columns.who, cell: by, from: "sm" },
    { id: "at", header: words.page.columns.at, cell: (e) => <When at={e.at} />, right: true },
  ];
  return (
    <Panel title={words.page.history}>
      <Releases serial={serial} />
      <List
        csv={{ of: "history", owner: serial, filtered: false, fields }}
        label={words.page.history}
        queryKey={["hwkey", serial, "history"]}
        fetch={(cursor, limit) =>
          ask(
            api.GET("/api/hwkey/{serial}/history", {
              params: { path: { serial }, query: { limit, cursor } },
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
