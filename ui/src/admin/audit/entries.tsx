import { Anchor, Button, Text } from "@mantine/core";
import { IconFileSearch, IconFilterOff } from "@tabler/icons-react";
import { api, ask } from "../../api/client";
import { Free } from "../../parts/free";
import { type Column, List } from "../../parts/list";
import { Empty } from "../../parts/page";
import { When } from "../../parts/when";
import { type Catalogue, useText } from "../../text";
import { ActionName } from "./action";
import { actorName, targetName } from "./actions";
import { type Entry, EntryDetail } from "./detail";
import { count, type Filters, toQuery } from "./filters";
import { Outcome } from "./outcome";

/** The orders of the log, as the server names them. */
export const orders = ["-at", "at"] as const;
type Order = (typeof orders)[number];

type Props = {
  filters: Filters;
  sort: Order;
  onSort: (order: string) => void;
  onOnly: (change: Partial<Filters>) => void;
  onClear: () => void;
};

/** EntryList is the log itself. A row opens to all that is known of an entry. */
export function EntryList({ filters, sort, onSort, onOnly, onClear }: Props) {
  const t = useText();
  const narrowed = count(filters) > 0;
  const unfolded = filters.action !== undefined; // whoever asks for an action gets all of it
  const list = (
    <List
      main
      name="audit"
      label={t.audit.list}
      queryKey={["audit", "list", filters, sort]}
      fetch={(cursor, limit) =>
        ask(
          api.GET("/api/admin/audit", {
            params: { query: { ...toQuery(filters), ...(unfolded ? {} : { no_renewals: true }), sort, limit, cursor } },
          }),
        )
      }
      columns={columns(t)}
      rowKey={(e) => e.id}
      sort={{ order: sort, natural: "-at", onChange: onSort }}
      detail={{ name: (e) => t.audit.open(e.id), content: (e) => <EntryDetail entry={e} onOnly={onOnly} /> }}
      empty={
        narrowed ? (
          <Empty
            icon={IconFilterOff}
            title={t.audit.none.title}
            text={t.audit.none.text}
            action={
              <Button variant="default" onClick={onClear}>
                {t.common.actions.clear}
              </Button>
            }
          />
        ) : (
          <Empty icon={IconFileSearch} title={t.audit.none.emptyTitle} text={t.audit.none.emptyText} />
        )
      }
    />
  );
  if (unfolded) return list;
  return (
    <>
      {list}
      <Text size="xs" c="dimmed" mt="xs">
        {t.audit.renewals.left}{" "}
        <Anchor component="button" size="xs" onClick={() => onOnly({ action: "auth.refresh" })}>
          {t.audit.renewals.show}
        </Anchor>
      </Text>
    </>
  );
}

function columns(t: Catalogue): Column<Entry>[] {
  const words = t.audit.columns;
  return [
    {
      id: "at",
      header: words.at,
      sort: "at",
      from: "sm",
      width: 210,
      cell: (e) => (
        <span className="numbers">
          <When at={e.at} as="exact" />
        </span>
      ),
    },
    {
      id: "action",
      header: words.action,
      cell: (e) => (
        <>
          <ActionName action={e.action} />
          <Text size="sm" c="dimmed" hiddenFrom="sm">
            <When at={e.at} as="exact" /> · {actorName(t.audit, e.actor)}
            {e.target_id ? <> · {e.target_id}</> : null}
          </Text>
        </>
      ),
    },
    { id: "outcome", header: words.outcome, width: 136, cell: (e) => <Outcome value={e.outcome} /> },
    {
      id: "actor",
      header: words.actor,
      from: "sm",
      width: { sm: 130, lg: 170, xl: "auto" },
      cell: (e) => <Free>{actorName(t.audit, e.actor)}</Free>,
    },
    {
      id: "target",
      header: words.target,
      from: "md",
      width: { md: 190, xl: "auto" },
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
    {
      id: "ip",
      header: words.ip,
      from: "xl",
      width: 130,
      cell: (e) => <span className="mono">{e.ip_address}</span>,
    },
  ];
}
