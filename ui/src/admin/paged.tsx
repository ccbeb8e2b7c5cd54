import { Group, Pagination, Table, Text } from "@mantine/core";
import { useMemo, useState } from "react";
import { type Csv, ExportButton } from "../parts/exporting";
import { type Column, Headers, Row } from "../parts/list";
import classes from "../parts/list.module.css";
import { inOrder, type Order, sortedBy } from "../parts/sort";
import { useLanguage, useText } from "../text";

/** PagedColumn is one of rows that are all here: by what it shows they can be sorted. */
export type PagedColumn<T> = Column<T> & { by?: (row: T) => string | number };

type Props<T> = {
  label: string;
  rows: readonly T[];
  columns: PagedColumn<T>[];
  /** What is saved of them as a file. */
  csv?: Csv<T>;
  rowKey: (row: T) => string | number;
  /** Shown when there are no rows. */
  none: string;
};

const size = 100;

/** Paged is a table of rows that are here already, 100 at a time: twenty thousand stay smooth. */
export function Paged<T>({ label, rows: given, columns, csv, rowKey, none }: Props<T>) {
  const t = useText();
  const words = t.stock.paging;
  const language = useLanguage();
  const format = new Intl.NumberFormat(language);
  const [order, setOrder] = useState<Order>("");
  const { by } = columns.find((c) => sortedBy(c.id, order) !== "none") ?? {};
  // biome-ignore lint/correctness/useExhaustiveDependencies: what a column is sorted by is the same each time
  const rows = useMemo(() => (by ? inOrder(given, by, order, language) : given), [given, order, language]);
  const [place, setPlace] = useState({ rows, page: 1 });
  // Other rows begin at the first page.
  const page = place.rows === rows ? place.page : 1;
  const pages = Math.ceil(rows.length / size);
  const first = (page - 1) * size;
  const shown = rows.slice(first, first + size);
  if (rows.length === 0) {
    return (
      <Text size="sm" c="dimmed" py="sm">
        {none}
      </Text>
    );
  }
  return (
    <>
      {csv ? (
        <div className={classes.bar}>
          <Group ml="auto">
            <ExportButton csv={csv} fetch={async () => ({ items: [...rows], next_cursor: null })} />
          </Group>
        </div>
      ) : null}
      <Table.ScrollContainer minWidth={280} type="native">
        <Table aria-label={label}>
          <Table.Thead>
            <Table.Tr>
              <Headers
                columns={columns.map((c) => (c.by ? { ...c, sort: c.id } : c))}
                sort={{ order, natural: "", onChange: setOrder }}
              />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {shown.map((row) => (
              <Row key={rowKey(row)} row={row} columns={columns} />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {pages > 1 ? (
        <Group justify="space-between" mt="sm">
          <Text size="sm" c="dimmed" className="numbers">
            {words.range(format.format(first + 1), format.format(first + shown.length), format.format(rows.length))}
          </Text>
          <Pagination
            size="sm"
            total={pages}
            value={page}
            onChange={(next) => setPlace({ rows, page: next })}
            aria-label={words.label}
            getItemProps={(n) => ({ "aria-label": String(n) })}
            getControlProps={(control) => ({
              "aria-label": control === "previous" ? t.common.actions.previous : t.common.actions.next,
            })}
          />
        </Group>
      ) : null}
    </>
  );
}
