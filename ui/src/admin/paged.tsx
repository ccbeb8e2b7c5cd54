import { Group, Pagination, Table, Text } from "@mantine/core";
import { useState } from "react";
import type { Column } from "../parts/list";
import { useLanguage, useText } from "../text";

type Props<T> = {
  label: string;
  rows: readonly T[];
  columns: Column<T>[];
  rowKey: (row: T) => string | number;
  /** Shown when there are no rows. */
  none: string;
};

const size = 100;

/** Paged is a table of rows that are here already, 100 at a time: twenty thousand stay smooth. */
export function Paged<T>({ label, rows, columns, rowKey, none }: Props<T>) {
  const t = useText();
  const words = t.stock.paging;
  const format = new Intl.NumberFormat(useLanguage());
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
      <Table.ScrollContainer minWidth={280} type="native">
        <Table aria-label={label}>
          <Table.Thead>
            <Table.Tr>
              {columns.map((c) => (
                <Table.Th key={c.id} ta={c.right ? "right" : undefined} visibleFrom={c.from} w={c.width}>
                  {c.header}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {shown.map((row) => (
              <Table.Tr key={rowKey(row)}>
                {columns.map((c) => (
                  <Table.Td key={c.id} ta={c.right ? "right" : undefined} visibleFrom={c.from}>
                    {c.cell(row)}
                  </Table.Td>
                ))}
              </Table.Tr>
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
