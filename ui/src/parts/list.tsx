import { ActionIcon, Button, Group, Skeleton, Table, Text } from "@mantine/core";
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Fragment, type ReactNode, useEffect, useId, useState } from "react";
import { useText } from "../text";
import { Outdated } from "./page";
import { ProblemAlert } from "./problem";

/** What a list operation answers (contract, "Lists"). */
type PageOf<T> = { items: T[]; next_cursor: string | null };

/** How a column that can be sorted by is sorted; the words are those of ARIA. */
export type Sorted = "ascending" | "descending" | "none";

export type Column<T> = {
  id: string;
  header: ReactNode;
  cell: (row: T) => ReactNode;
  /** Left out on screens narrower than this breakpoint. */
  from?: "xs" | "sm" | "md" | "lg" | "xl";
  right?: boolean;
  sorted?: Sorted;
  /** In pixels, for a column of controls. */
  width?: number;
};

type Props<T> = {
  /** The accessible name of the table. */
  label: string;
  /** Names the list and its filters; another key begins at the first page. */
  queryKey: readonly unknown[];
  fetch: (cursor: string | undefined, limit: number) => Promise<PageOf<T>>;
  columns: Column<T>[];
  rowKey: (row: T) => string | number;
  /** Shown instead of the table when there is nothing at all. */
  empty: ReactNode;
  limit?: number;
  /** How many rows there mostly are: as many are drawn before they come. */
  expected?: number;
  onRows?: (rows: T[]) => void;
  /** What a row opens to, and what the button that opens it is called. */
  detail?: { name: (row: T) => string; content: (row: T) => ReactNode };
};

/** pageQuery asks for a page of a list, as List does: whoever asks for the first one beforehand asks once. */
export function pageQuery<T>(
  queryKey: readonly unknown[],
  fetch: (cursor: string | undefined, limit: number) => Promise<PageOf<T>>,
  cursor: string | undefined,
  limit: number,
) {
  return { queryKey: [...queryKey, cursor, limit], queryFn: () => fetch(cursor, limit) };
}

/** List is a table that the server pages by keyset: as quick at 100,000 rows as at ten. */
export function List<T>({
  label,
  queryKey,
  fetch,
  columns,
  rowKey,
  empty,
  limit = 25,
  expected = 8,
  onRows,
  detail,
}: Props<T>) {
  const identity = JSON.stringify(queryKey);
  const [trail, setTrail] = useState<{ identity: string; cursors: string[] }>({ identity, cursors: [] });
  // A filter that changed begins at the first page, in the same render.
  const cursors = trail.identity === identity ? trail.cursors : [];
  const cursor = cursors.at(-1);
  const query = useQuery({ ...pageQuery(queryKey, fetch, cursor, limit), placeholderData: keepPreviousData });
  const rows = query.data?.items;
  // The rows of the page or filter before this one stay in sight meanwhile, but nothing may be done with them.
  const old = query.isPlaceholderData;
  useEffect(() => {
    if (rows && !old) onRows?.(rows);
  }, [rows, old, onRows]);

  if (query.isError && !query.data) return <ProblemAlert error={query.error} onRetry={() => void query.refetch()} />;
  if (rows && rows.length === 0 && cursors.length === 0) {
    return (
      <>
        <Outdated query={query} />
        {empty}
      </>
    );
  }
  const next = query.data?.next_cursor;
  return (
    <>
      <Outdated query={query} />
      <Table.ScrollContainer minWidth={280} type="native">
        <Table highlightOnHover aria-label={label} aria-busy={query.isFetching}>
          <Table.Thead>
            <Table.Tr>
              {detail ? <Table.Td w={28} /> : null}
              {columns.map((c) => (
                <Table.Th
                  key={c.id}
                  ta={c.right ? "right" : undefined}
                  visibleFrom={c.from}
                  w={c.width}
                  aria-sort={c.sorted}
                >
                  {c.header}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody inert={old}>
            {rows
              ? rows.map((row) => <Row key={rowKey(row)} row={row} columns={columns} detail={detail} />)
              : Array.from({ length: expected }, (_, i) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: rows that do not exist yet
                  <Table.Tr key={i}>
                    {detail ? <Table.Td /> : null}
                    {columns.map((c) => (
                      <Table.Td key={c.id} visibleFrom={c.from}>
                        <Skeleton height={14} />
                      </Table.Td>
                    ))}
                  </Table.Tr>
                ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {next || cursors.length > 0 ? (
        <Pager
          page={cursors.length}
          more={Boolean(next)}
          wait={old}
          onPrevious={() => setTrail({ identity, cursors: cursors.slice(0, -1) })}
          onNext={() => next && setTrail({ identity, cursors: [...cursors, next] })}
        />
      ) : null}
    </>
  );
}

type PagerProps = {
  /** Counted from 0. */
  page: number;
  /** There is another page. */
  more: boolean;
  /** The page is on its way: it is too early for the next one. */
  wait?: boolean;
  onPrevious: () => void;
  onNext: () => void;
};

/** Pager leads to the page before and the next one. */
export function Pager({ page, more, wait = false, onPrevious, onNext }: PagerProps) {
  const t = useText();
  return (
    <Group justify="space-between" mt="sm">
      <Text size="sm" c="dimmed" className="numbers">
        {t.common.paging.page(page + 1)}
      </Text>
      <Group gap="xs">
        <Turn off={page === 0} onClick={onPrevious}>
          {t.common.actions.previous}
        </Turn>
        <Turn off={!more} wait={wait} onClick={onNext}>
          {t.common.actions.next}
        </Turn>
      </Group>
    </Group>
  );
}

type TurnProps = { off: boolean; wait?: boolean; onClick: () => void; children: ReactNode };

/** Turn goes to another page. Off or waiting for one it does nothing, but keeps the focus that it has. */
function Turn({ off, wait = false, onClick, children }: TurnProps) {
  return (
    <Button
      variant="default"
      aria-disabled={off || wait || undefined}
      data-disabled={off || undefined}
      onClick={off || wait ? undefined : onClick}
    >
      {children}
    </Button>
  );
}

function Row<T>({ row, columns, detail }: Pick<Props<T>, "columns" | "detail"> & { row: T }) {
  const id = useId();
  const [open, setOpen] = useState(false);
  const Icon = open ? IconChevronDown : IconChevronRight;
  return (
    <Fragment>
      <Table.Tr>
        {detail ? (
          <Table.Td pr={0} w={28}>
            <ActionIcon
              variant="subtle"
              color="gray"
              size="sm"
              aria-label={detail.name(row)}
              aria-expanded={open}
              aria-controls={open ? id : undefined}
              onClick={() => setOpen(!open)}
            >
              <Icon size={16} />
            </ActionIcon>
          </Table.Td>
        ) : null}
        {columns.map((c) => (
          <Table.Td key={c.id} ta={c.right ? "right" : undefined} visibleFrom={c.from}>
            {c.cell(row)}
          </Table.Td>
        ))}
      </Table.Tr>
      {detail && open ? (
        <Table.Tr id={id} bg="var(--page)">
          <Table.Td colSpan={columns.length + 1}>{detail.content(row)}</Table.Td>
        </Table.Tr>
      ) : null}
    </Fragment>
  );
}
