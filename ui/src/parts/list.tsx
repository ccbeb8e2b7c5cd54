import { ActionIcon, Group, Skeleton, Table, Text } from "@mantine/core";
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { Fragment, memo, type PointerEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { isProblem } from "../api/problem";
import { useText } from "../text";
import { type Breakpoint, type Choosable, ColumnMenu, useChosen } from "./columns";
import type { Count } from "./count";
import { DetailRow } from "./detailrow";
import { type Csv, ExportButton } from "./exporting";
import classes from "./list.module.css";
import { remember, walkOf } from "./neighbours";
import { Outdated } from "./page";
import { Pager, useTotal } from "./pager";
import { useAddressedPagination, usePagination } from "./pagination";
import { ProblemAlert } from "./problem";
import { afterFailure } from "./refetch";
import { type Order, sortedBy } from "./sort";
import { OrderChoice, SortHeader } from "./sortheader";

/** What a list operation answers (contract, "Lists"). */
export type PageOf<T> = Count & { items: T[]; next_cursor: string | null };

export type Column<T> = Choosable & {
  /** What stands in a row. The same function draws the same: a list of many rows keeps its columns (useMemo). */
  cell: (row: T) => ReactNode;
  right?: boolean;
  /** What the server calls sorting by it. */
  sort?: string;
  /** In pixels, by the width of the screen where it depends on that. A main list shares the rest among the columns without one. */
  width?: number | { [from in Breakpoint | "base"]?: number | "auto" };
};

type Props<T> = {
  /** The accessible name of the table. */
  label: string;
  /** The list is what its page is about: its place stands in the address, its columns stand still, and a row is a line. */
  main?: boolean;
  /** The address of a row's own page, from which the rows before and after can be reached. */
  path?: (row: T) => string;
  /** Names the list in this browser's memory: its columns can be chosen. */
  name?: string;
  /** What is saved of it as a file. */
  csv?: Csv<T>;
  /** A row takes as many lines as it needs: it explains something. */
  tall?: boolean;
  /** Names the list and its filters; another key begins at the first page. */
  queryKey: readonly unknown[];
  fetch: (cursor: string | undefined, limit: number) => Promise<PageOf<T>>;
  columns: Column<T>[];
  rowKey: (row: T) => string | number;
  /** Shown instead of the table when there is nothing at all. */
  empty: ReactNode;
  /** How many of the server's rows a row stands for. */
  stands?: (row: T) => number;
  limit?: number;
  /** How many rows there mostly are: as many are drawn before they come. */
  expected?: number;
  /** How the rows are sorted; natural: the list's own order. */
  sort?: { order: Order; natural: Order; onChange: (order: Order) => void };
  onRows?: (rows: T[], count: Count) => void;
  /** In how many ms the rows are asked for again, since they change by themselves; false: they don't. */
  refetchInterval?: (rows: T[]) => number | false;
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
  main = false,
  tall = false,
  path,
  name,
  csv,
  queryKey,
  fetch,
  columns: all,
  rowKey,
  empty,
  stands = () => 1,
  limit = main ? 50 : 25,
  expected = 8,
  sort,
  onRows,
  refetchInterval: next = () => false,
  detail,
}: Props<T>) {
  const addressed = useAddressedPagination(limit);
  const inside = usePagination(JSON.stringify(queryKey), limit);
  const place = main ? addressed : inside;
  const query = useQuery({
    ...pageQuery(queryKey, fetch, place.cursor, place.size),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data, error } }) => (error ? afterFailure(error) : data ? next(data.items) : false),
  });
  const chosen = useChosen(name, all);
  const { columns } = chosen;
  // An address of long ago may name a place that this server does not know.
  const { first } = place;
  const lost = isProblem(query.error) && query.error.of("cursor").length > 0 && first !== null;
  useEffect(() => {
    if (lost) first?.(true);
  });
  const failure = useFailure(JSON.stringify([queryKey, place.cursor]), lost ? null : query.error, query.data);
  const top = useRef<HTMLDivElement>(null);
  const answer = query.data;
  const rows = answer?.items;
  // The rows of the page or filter before this one stay in sight meanwhile, but nothing may be done with them.
  const old = query.isPlaceholderData;
  useEffect(() => {
    if (answer && !old) onRows?.(answer.items, answer);
  }, [answer, old, onRows]);

  const { pathname, search } = useLocation();
  useEffect(() => {
    if (!main || !path || !answer || old) return;
    remember(walkOf({ pathname, search, where: addressed.where, size: addressed.size, fetch, path }, answer));
  });

  const turn = (go: () => void) => {
    go();
    const at = top.current;
    if (at && at.getBoundingClientRect().top < 0) at.scrollIntoView();
  };

  if (!answer && failure) return <ProblemAlert error={failure} onRetry={() => void query.refetch()} />;
  if (rows && rows.length === 0 && !place.cursor) {
    return (
      <>
        <Outdated query={query} />
        {empty}
      </>
    );
  }
  const table = (
    <Table
      highlightOnHover
      aria-label={label}
      aria-busy={query.isFetching}
      {...(main && {
        className: tall ? classes.tall : classes.lines,
        layout: "fixed" as const,
        stickyHeader: true,
        stickyHeaderOffset: 52,
        verticalSpacing: 4,
        horizontalSpacing: 8,
        onPointerOver: whole,
      })}
    >
      <Table.Thead>
        <Table.Tr>
          {detail ? <Table.Td w={36} /> : null}
          <Headers columns={columns} sort={sort} />
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
                    <Skeleton height={14} my={3} />
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
      </Table.Tbody>
    </Table>
  );
  return (
    <>
      <Outdated query={query} />
      <div ref={top} className={classes.top} />
      {main || csv ? (
        <div className={classes.bar}>
          {main ? <Total count={answer} /> : null}
          <Group gap={4} ml="auto" className={classes.tools}>
            {csv ? <ExportButton csv={csv} fetch={fetch} /> : null}
            {name ? <ColumnMenu all={all} chosen={chosen} /> : null}
            {sort ? <OrderChoice {...sort} columns={columns} /> : null}
          </Group>
        </div>
      ) : null}
      {main ? (
        table
      ) : (
        <Table.ScrollContainer minWidth={280} type="native">
          {table}
        </Table.ScrollContainer>
      )}
      <Pager
        place={place}
        next={answer?.next_cursor}
        shown={rows?.reduce((n, row) => n + stands(row), 0) ?? 0}
        count={answer}
        wait={old}
        sized={main}
        turn={turn}
      />
    </>
  );
}

/** useFailure keeps the last failure in sight while the same is asked for again. */
function useFailure(asked: string, error: Error | null, data: unknown): Error | null {
  const last = useRef<{ asked: string; error: Error | null }>({ asked, error: null });
  if (error || data !== undefined || last.current.asked !== asked) last.current = { asked, error };
  return last.current.error;
}

/** whole gives a cell that is cut off its text as a title. The text may be another one than when it was asked last. */
function whole({ target }: PointerEvent) {
  const cell = target instanceof Element ? target.closest("td") : null;
  if (!cell) return;
  const cut = [cell, ...cell.querySelectorAll("*")].some((e) => e.scrollWidth > e.clientWidth && e.clientWidth > 0);
  // biome-ignore lint/performance/useDomNodeTextContent: what is hidden on a wide screen is no part of it
  if (cut) cell.title = cell.innerText;
  else cell.removeAttribute("title");
}

/** Total says how many rows there are on all pages together. */
function Total({ count }: { count: Count | undefined }) {
  const words = useText().common.paging;
  const total = useTotal();
  return (
    <Text size="sm" c="dimmed" className="numbers" role="status">
      {count ? words.all(total(count)) : ""}
    </Text>
  );
}

type HeadersProps<T> = Pick<Props<T>, "columns" | "sort">;

/** Headers are the names of the columns; one that can be sorted by is a button. */
export function Headers<T>({ columns, sort }: HeadersProps<T>) {
  return columns.map((c) => (
    <Table.Th
      key={c.id}
      ta={c.right ? "right" : undefined}
      visibleFrom={c.from}
      w={c.width}
      aria-sort={sort && c.sort ? sortedBy(c.sort, sort.order) : undefined}
    >
      {sort && c.sort ? <SortHeader {...sort} column={c.sort} name={c.header} /> : c.header}
    </Table.Th>
  ));
}

type RowProps<T> = Pick<Props<T>, "columns" | "detail"> & { row: T };

/**
 * Row is drawn anew when it is another, or its cells are: a page of fifty is drawn once, not at each step to it. What
 * depends on the time of day sees to it itself (useMinute).
 */
export const Row = memo(AnyRow, sameRow) as typeof AnyRow;

function sameRow<T>(a: RowProps<T>, b: RowProps<T>): boolean {
  return a.row === b.row && a.detail === b.detail && sameCells(a.columns, b.columns);
}

function sameCells<T>(a: Column<T>[], b: Column<T>[]): boolean {
  return a.length === b.length && a.every((c, i) => c.id === b[i]?.id && c.cell === b[i].cell);
}

function AnyRow<T>({ row, columns, detail }: RowProps<T>) {
  const id = useId();
  const [open, setOpen] = useState(false);
  const Icon = open ? IconChevronDown : IconChevronRight;
  return (
    <Fragment>
      <Table.Tr>
        {detail ? (
          <Table.Td pr={0} w={36}>
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
        <DetailRow id={id} columns={columns}>
          {detail.content(row)}
        </DetailRow>
      ) : null}
    </Fragment>
  );
}
