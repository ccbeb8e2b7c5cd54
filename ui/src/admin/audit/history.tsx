import { Text } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { TextLink } from "../../parts/link";
import { List } from "../../parts/list";
import { Panel } from "../../parts/page";
import { useText } from "../../text";
import { DeedDetail, deedColumns } from "./deeds";
import { folded } from "./entries";
import { type Filters, toQuery } from "./filters";

type Props = { title: string; filters: Filters; none: string };

/** AuditHistory is what the audit log says of a person or an organization, without the renewals of sessions. */
export function AuditHistory({ title, filters, none }: Props) {
  const t = useText();
  const navigate = useNavigate();
  const columns = useMemo(() => deedColumns(t, false), [t]);
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
        label={title}
        queryKey={["audit", "history", filters]}
        fetch={(cursor, limit) => folded({ ...toQuery(filters), no_renewals: true, limit, cursor })}
        columns={columns}
        rowKey={([e]) => e.id}
        stands={(deed) => deed.length}
        limit={25}
        detail={{
          name: (deed) => (deed.length > 1 ? t.audit.deeds.open(deed.length, deed[0].id) : t.audit.open(deed[0].id)),
          content: (deed) => (
            <DeedDetail
              deed={deed}
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
