import { Text } from "@mantine/core";
import { IconHistory } from "@tabler/icons-react";
import { ActionName } from "../admin/audit/action";
import { fields } from "../admin/audit/fields";
import type { Entry } from "../admin/audit/fold";
import { Target } from "../admin/audit/named";
import { Outcome } from "../admin/audit/outcome";
import { api, ask } from "../api/client";
import { TextLink } from "../parts/link";
import { type Column, List } from "../parts/list";
import { Empty, Panel } from "../parts/page";
import { When } from "../parts/when";
import { useMe } from "../session/hooks";
import { useText } from "../text";

/** Activity is what the audit log says that one did. */
export function Activity() {
  const t = useText();
  const words = t.profile.activity;
  const me = useMe();
  // The server gives a user the own entries alone; of others' it would give all.
  const actor = me.role === "user" ? {} : { actor: me.username };
  const columns: Column<Entry>[] = [
    {
      id: "action",
      header: words.action,
      cell: (e) => (
        <>
          <ActionName action={e.action} />
          <Text size="xs" c="dimmed" hiddenFrom="sm">
            <When at={e.at} />
          </Text>
        </>
      ),
    },
    { id: "outcome", header: words.outcome, cell: (e) => <Outcome value={e.outcome} /> },
    {
      id: "target",
      header: t.audit.columns.target,
      from: "sm",
      cell: (e) => (
        <>
          <Target entry={e} />
        </>
      ),
    },
    {
      id: "from",
      header: words.from,
      from: "md",
      cell: (e) => (
        <span className="mono" style={e.hostname ? undefined : { whiteSpace: "nowrap" }}>
          {e.hostname || e.ip_address}
        </span>
      ),
    },
    { id: "when", header: words.when, from: "sm", right: true, cell: (e) => <When at={e.at} /> },
  ];
  return (
    <Panel
      title={words.title}
      aside={
        me.role === "user" ? null : (
          <TextLink to="/admin/audit" search={{ actor: me.username }} size="sm">
            {words.all}
          </TextLink>
        )
      }
    >
      <List
        csv={{ of: "activity", filtered: true, fields }} // renewals are left out
        label={words.list}
        queryKey={["audit", "own", me.id]}
        fetch={(cursor, limit) =>
          ask(api.GET("/api/admin/audit", { params: { query: { ...actor, no_renewals: true, limit, cursor } } }))
        }
        columns={columns}
        rowKey={(e) => e.id}
        limit={10}
        empty={<Empty icon={IconHistory} title={words.none} text={words.noneText} />}
      />
    </Panel>
  );
}
