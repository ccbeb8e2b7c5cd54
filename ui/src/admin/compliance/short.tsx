import { Button, Card, Group, Table, Text, Title } from "@mantine/core";
import { IconCircleCheck } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import { type Listed, NumberLink } from "../../parts/listlink";
import { useLanguage, useText } from "../../text";
import classes from "./short.module.css";

/** A roomy column is left out on a narrow screen. */
type Column<T> = { header: string; cell: (row: T) => ReactNode; roomy?: boolean };
type Props<T> = {
  id: string;
  title: string;
  rows: T[];
  /** How many there are; the report lists the first of them. */
  count: number;
  /** The whole list. */
  list: Listed;
  columns: Column<T>[];
  rowKey: (row: T) => string;
  /** Said when there are none, which is good news. */
  none: string;
  /** Said instead where nothing could be on the list: that is no good news. */
  unused?: string | undefined;
};

const first = 10;

/** ShortList shows the first rows of a list of the report, and the others on demand and on paper. */
export function ShortList<T>({ id, title, rows, count, list, columns, rowKey, none, unused }: Props<T>) {
  const t = useText();
  const number = new Intl.NumberFormat(useLanguage());
  const [all, setAll] = useState(false);
  const words = t.compliance.lists;
  return (
    <Card component="section" id={id} className={classes.section}>
      <Group justify="space-between" align="baseline" wrap="nowrap" mb="sm">
        <Title order={2}>{title}</Title>
        {count > 0 ? (
          <Text component="span" ta="end">
            <NumberLink list={list} said={`${title}: ${number.format(count)}`}>
              {number.format(count)}
            </NumberLink>
          </Text>
        ) : null}
      </Group>
      {count === 0 && unused ? (
        <Text size="sm" c="dimmed">
          {unused}
        </Text>
      ) : count === 0 ? (
        <Group gap={8} wrap="nowrap" className={classes.good}>
          <IconCircleCheck size={18} aria-hidden />
          <Text size="sm">{none}</Text>
        </Group>
      ) : (
        <Table.ScrollContainer minWidth={280} type="native">
          <Table aria-label={title} className="numbers">
            <Table.Thead>
              <Table.Tr>
                {columns.map((c) => (
                  <Table.Th key={c.header} className={c.roomy ? "roomy" : undefined}>
                    {c.header}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map((row, i) => (
                <Table.Tr key={rowKey(row)} className={i >= first && !all ? classes.more : undefined}>
                  {columns.map((c) => (
                    <Table.Td key={c.header} className={c.roomy ? "roomy" : undefined}>
                      {c.cell(row)}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      <Group justify="space-between" mt={count > first ? "xs" : 0}>
        {count > rows.length ? (
          <Text size="sm" c="dimmed">
            {words.first(number.format(rows.length), number.format(count))}
          </Text>
        ) : null}
        {rows.length > first ? (
          <Button
            className="no-print"
            variant="subtle"
            size="compact-sm"
            aria-expanded={all}
            onClick={() => setAll(!all)}
          >
            {all ? words.fewer : words.all(number.format(rows.length))}
          </Button>
        ) : null}
      </Group>
    </Card>
  );
}
