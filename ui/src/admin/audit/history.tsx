import { Group, Text } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { api, ask } from "../../api/client";
import { Free } from "../../parts/free";
import { TextLink } from "../../parts/link";
import { type Column, List } from "../../parts/list";
import { Panel } from "../../parts/page";
import { When } from "../../parts/when";
import { type Catalogue, useText } from "../../text";
import { ActionName } from "./action";
import { actorName, targetName } from "./actions";
import { type Entry, EntryDetail } from "./detail";
import { fields } from "./fields";
import { type Filters, toQuery } from "./filters";
import { Outcome } from "./outcome";

type Props = {
  title: string;
  /** Whose history it is: it stands in the name of the file. */
  owner: string;
  filters: Filters;
  none: string;
};

/** AuditHistory is what the audit log says of a person or an organization, a row of which opens to the whole entry. */
export function AuditHistory({ title, owner, filters, none }: Props) {
  const t = useText();
  const navigate = useNavigate();
  const columns = useMemo(() => columnsOf(t), [t]);
  return (
    <Panel
      title={title}
      aside={
        <TextLink to="/admin/audit" search={filters as never} size="sm">
          {t.person.audit}
        </TextLink>
      }
    >
      <List
        csv={{ of: "history", owner, filtered: false, fields }}
        label={title}
        queryKey={["audit", "history", filters]}
        fetch={(cursor, limit) =>
          ask(
            api.GET("/api/admin/audit", {
              params: { query: { ...toQuery(filters), no_renewals: true, limit, cursor } },
            }),
          )
        }
        columns={columns}
        rowKey={(e) => e.id}
        limit={10}
        detail={{
          name: (e) => t.audit.open(e.id),
          content: (e) => (
            <EntryDetail
              entry={e}
              onOnly={(only) => void navigate({ to: "/admin/audit", search: { ...filters, ...only } as never })}
            />
          ),
        }}
        empty={
          <Text size="sm" c="dimmed">
            {none}
          </Text>
        }
      />
    </Panel>
  );
}

function columnsOf(t: Catalogue): Column<Entry>[] {
  const words = t.audit.columns;
  return [
    {
      id: "action",
      header: words.action,
      cell: (e) => (
        <>
          <Group gap={8}>
            <ActionName action={e.action} />
            {e.outcome === "success" ? null : <Outcome value={e.outcome} />}
          </Group>
          <Text size="xs" c="dimmed" hiddenFrom="sm">
            <When at={e.at} /> · <Free>{actorName(t.audit, e.actor)}</Free>
          </Text>
        </>
      ),
    },
    {
      id: "target",
      header: words.target,
      from: "md",
      cell: (e) => {
        const { name, id } = targetName(t.audit, e);
        return (
          <>
            <Text span c="dimmed" size="sm">
              {name}
            </Text>{" "}
            <span className="mono">{id}</span>
          </>
        );
      },
    },
    { id: "actor", header: words.actor, from: "sm", cell: (e) => <Free>{actorName(t.audit, e.actor)}</Free> },
    {
      id: "at",
      header: words.at,
      from: "sm",
      right: true,
      cell: (e) => (
        <Text span inherit style={{ whiteSpace: "nowrap" }}>
          <When at={e.at} />
        </Text>
      ),
    },
  ];
}
