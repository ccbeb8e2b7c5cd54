import { useLocation, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { asId, asText, elsewhere } from "./address";
import { store, stored } from "./stored";

/** How many rows a page may have. */
export const sizes = [25, 50, 100, 250] as const;

/** Pagination is where in a list somebody is. */
export type Pagination = {
  /** Counted from 1; null: the address does not say. */
  page: number | null;
  /** What the server gave for the page; undefined: the first one. */
  cursor: string | undefined;
  size: number;
  next: (cursor: string) => void;
  /** null: there is no page before, or nobody knows which. */
  previous: (() => void) | null;
  /** replaces: the entry of the history, too. null: this is the first one. */
  first: ((replaces?: boolean) => void) | null;
  resize: (size: number) => void;
};

declare module "@tanstack/history" {
  interface HistoryState {
    /** The cursors of the pages before, from the second on. A reload keeps them; an address that was sent to somebody has none. */
    trail?: string[];
    /** A step from one row's page to that of the next: its origin is known. */
    beside?: boolean;
  }
}

/** Where is a place as the address and the history keep it. */
export type Where = { page: number | null; cursor: string | undefined; trail: readonly string[] };

const begin: Where = { page: 1, cursor: undefined, trail: [] };

/** reading takes a place from an address and its entry in the history. */
export function reading(search: Record<string, unknown>, trail: readonly string[] | undefined): Where {
  const cursor = asText(search.after);
  if (!cursor) return begin;
  const page = asId(asText(search.page));
  if (page === undefined || page < 2) return { page: null, cursor, trail: trail ?? [] };
  return { page, cursor, trail: trail && trail.length <= page - 2 ? trail : [] };
}

/** turned is the place one page on, or one back; null: nobody knows the page before. */
export function turned({ page, cursor, trail }: Where, to: { next: string } | "previous"): Where | null {
  if (to !== "previous") return { page: page && page + 1, cursor: to.next, trail: cursor ? [...trail, cursor] : [] };
  if (page === 2) return begin;
  const before = trail.at(-1);
  return before === undefined ? null : { page: page && page - 1, cursor: before, trail: trail.slice(0, -1) };
}

/** withPagination is an address with another place in it. */
export function withPagination(search: object, { page, cursor }: Where, size: number): object {
  return { ...search, ...elsewhere, ...(cursor && { page: page ?? undefined, after: cursor, rows: size }) };
}

/** usual is how many rows somebody lately chose to see. */
function usual(otherwise: number): number {
  const chosen = stored("rows");
  return sizes.find((s) => s === chosen) ?? otherwise;
}

/**
 * useAddressedPagination keeps the place in the address: whoever comes back, reloads
 * or is sent the address stands there again.
 */
export function useAddressedPagination(otherwise: number): Pagination & { where: Where } {
  const location = useLocation();
  const navigate = useNavigate();
  const search: Record<string, unknown> = location.search;
  const where = reading(search, location.state.trail);
  const size = sizes.find((s) => s === asId(asText(search.rows))) ?? usual(otherwise);
  const go = (to: Where, replace = false) =>
    void navigate({
      to: ".",
      replace,
      search: (old: object) => withPagination(old, to, size),
      state: { trail: [...to.trail] },
      resetScroll: false,
    });
  const before = turned(where, "previous");
  return {
    where,
    page: where.page,
    cursor: where.cursor,
    size,
    next: (cursor) => {
      const on = turned(where, { next: cursor });
      if (on) go(on);
    },
    previous: before && (() => go(before)),
    first: where.cursor ? (replaces) => go(begin, replaces) : null,
    resize: (rows) => {
      store("rows", rows);
      void navigate({ to: ".", search: (old: object) => ({ ...old, ...elsewhere, rows }), resetScroll: false });
    },
  };
}

/** usePagination keeps the place of a list beside others; one with another identity begins at its first page, in the same render. */
export function usePagination(identity: string, size: number): Pagination {
  const [state, setState] = useState({ identity, where: begin });
  const where = state.identity === identity ? state.where : begin;
  const go = (to: Where | null) => to && setState({ identity, where: to });
  const before = turned(where, "previous");
  return {
    page: where.page,
    cursor: where.cursor,
    size,
    next: (cursor) => go(turned(where, { next: cursor })),
    previous: before && (() => go(before)),
    first: where.cursor ? () => go(begin) : null,
    resize: () => {},
  };
}
