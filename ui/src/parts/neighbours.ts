import { useLocation, useNavigate } from "@tanstack/react-router";
import { keepOrigin, type Origin, useOrigin } from "./origin";
import { turned, type Where, withPagination } from "./pagination";

type Rows<T> = { items: T[]; next_cursor: string | null };

/** Listed is a list on a page of its own: where somebody is in it, how its pages are asked for, and a row's own address. */
type Listed<T> = {
  pathname: string;
  search: object;
  where: Where;
  size: number;
  fetch: (cursor: string | undefined, limit: number) => Promise<Rows<T>>;
  path: (row: T) => string;
};

/** Walk is a page of a list as it was shown: the addresses of its rows, and the pages around it. */
export type Walk = {
  at: Pick<Origin, "pathname" | "search" | "trail">;
  paths: readonly string[];
  previous: (() => Promise<Walk>) | null;
  next: (() => Promise<Walk>) | null;
};

/** walkOf makes one of the rows of a page. */
export function walkOf<T>(list: Listed<T>, rows: Rows<T>): Walk {
  const { pathname, search, where, size, fetch, path } = list;
  const page = (to: Where | null) =>
    to &&
    (async () => {
      const there = { ...list, where: to, search: withPagination(search, to, size) };
      return walkOf(there, await fetch(to.cursor, size));
    });
  return {
    at: { pathname, search, trail: [...where.trail] },
    paths: rows.items.map(path),
    previous: page(turned(where, "previous")),
    next: page(rows.next_cursor ? turned(where, { next: rows.next_cursor }) : null),
  };
}

/** Stop is a row, and the page of the list on which it stands. */
type Stop = { path: string; walk: Walk };

/** neighbour finds the row before another one, or after it; null: there is none. */
export function neighbour(walk: Walk, path: string, by: "previous" | "next"): (() => Promise<Stop | null>) | null {
  const i = walk.paths.indexOf(path);
  if (i < 0) return null;
  const near = walk.paths[by === "next" ? i + 1 : i - 1];
  if (near !== undefined) return async () => ({ path: near, walk });
  const turn = walk[by];
  return (
    turn &&
    (async () => {
      const other = await turn();
      const first = by === "next" ? other.paths[0] : other.paths.at(-1);
      return first === undefined ? null : { path: first, walk: other };
    })
  );
}

// The page of each list that was shown last. Like an origin it is in this page's memory alone.
const walks = new Map<string, Walk>();

/** remember keeps a page of a list, for whoever opens one of its rows. */
export function remember(walk: Walk): void {
  walks.set(walk.at.pathname, walk);
}

/**
 * useNeighbours leads from the page of one thing to that of the row before or after, in the list from which it was opened:
 * null where there is none, or nobody knows. The way back leads to where that row stands.
 */
export function useNeighbours(): Record<"previous" | "next", (() => Promise<void>) | null> {
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const origin = useOrigin();
  const walk = origin && walks.get(origin.pathname);
  const known = walk && JSON.stringify(walk.at.search) === JSON.stringify(origin.search) ? walk : null;
  const step = (by: "previous" | "next") => {
    const find = known && neighbour(known, pathname, by);
    if (!find || !origin) return null;
    return async () => {
      const to = await find();
      if (!to) return;
      remember(to.walk);
      keepOrigin(to.path, { ...to.walk.at, index: to.walk === known ? origin.index : -1 });
      await navigate({ to: to.path as "/", replace: true, state: { beside: true } });
    };
  };
  return { previous: step("previous"), next: step("next") };
}
