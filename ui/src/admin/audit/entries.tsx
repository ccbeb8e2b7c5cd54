import { Anchor, Button, Text } from "@mantine/core";
import { IconFileSearch, IconFilterOff } from "@tabler/icons-react";
import { useMemo } from "react";
import { api, ask } from "../../api/client";
import { List } from "../../parts/list";
import { Empty } from "../../parts/page";
import { useText } from "../../text";
import { DeedDetail, deedColumns } from "./deeds";
import { count, type Filters, type Query, toQuery } from "./filters";
import { fold } from "./fold";

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

/** folded asks for a page of the log, and puts together what belongs together in it. */
export async function folded(query: Query) {
  const page = await ask(api.GET("/api/admin/audit", { params: { query } }));
  return { ...page, items: fold(page.items) };
}

/** EntryList is the log itself. A row opens to its entries, and to all that is known of each. */
export function EntryList({ filters, sort, onSort, onOnly, onClear }: Props) {
  const t = useText();
  const columns = useMemo(() => deedColumns(t, true), [t]);
  const narrowed = count(filters) > 0;
  const whole = filters.action !== undefined; // whoever asks for an action gets all of it
  const list = (
    <List
      main
      name="audit"
      label={t.audit.list}
      queryKey={["audit", "list", filters, sort]}
      fetch={(cursor, limit) =>
        folded({ ...toQuery(filters), ...(whole ? {} : { no_renewals: true }), sort, limit, cursor })
      }
      columns={columns}
      rowKey={([e]) => e.id}
      stands={(deed) => deed.length}
      sort={{ order: sort, natural: "-at", onChange: onSort }}
      detail={{
        name: (deed) => (deed.length > 1 ? t.audit.deeds.open(deed.length, deed[0].id) : t.audit.open(deed[0].id)),
        content: (deed) => <DeedDetail deed={deed} onOnly={onOnly} />,
      }}
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
  if (whole) return list;
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
