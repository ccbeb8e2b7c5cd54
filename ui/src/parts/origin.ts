import { useLocation, useRouter } from "@tanstack/react-router";
import { useEffect, useSyncExternalStore } from "react";

/**
 * Origin is the page from which a page of one thing was opened, such as a list with its filters and its place in it.
 * It is kept in this page's memory: after a reload nobody knows it.
 */
export type Origin = { pathname: string; search: object; trail: string[] | undefined; index: number };

/** Here is what a location tells, as far as it matters. */
type Here = {
  pathname: string;
  search: object;
  state: { trail?: string[] | undefined; beside?: boolean | undefined; __TSR_index?: number };
};

/** Pages that are in no list: nobody goes back to them from a page of one thing. */
const outside = /^\/(profile|login|admin-login|signed-in|invitation|restoring)(\/|$)/;

const one =
  /^\/(tokens\/[^/]+(\/replace)?|(certificates|admin\/(webhooks|profiles|organizations))\/[^/]+|admin\/people\/\d+)$/;

/** Origins remembers where the pages of single things were opened from. */
export class Origins {
  #known: ReadonlyMap<string, Origin> = new Map();
  readonly #watchers = new Set<() => void>();

  snapshot = (): ReadonlyMap<string, Origin> => this.#known;

  subscribe = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };

  /** moved takes note of a step to another page. Whoever goes back to a page opens it from nowhere else. */
  moved(from: Here | undefined, to: Here): void {
    if (to.state.beside) return; // kept already
    if (!from || from.pathname === to.pathname || !one.test(to.pathname)) return;
    const { pathname, search, state } = from;
    const [then, now] = [state.__TSR_index ?? -1, to.state.__TSR_index ?? -1];
    if (outside.test(pathname) || this.#leads(pathname, to.pathname)) return;
    if (now < then && this.#known.has(to.pathname)) return; // the browser's Back
    this.keep(to.pathname, { pathname, search, trail: state.trail, index: then });
  }

  /** assume says where a page belongs whose address was opened by itself. A page that is left says so of the next one. */
  assume(page: string, list: string): void {
    if (one.test(page) && !this.#known.has(page))
      this.keep(page, { pathname: list, search: {}, trail: undefined, index: -1 });
  }

  /** #leads tells whether the way back from a page passes another one. */
  #leads(from: string, to: string): boolean {
    const back = this.#known.get(from)?.pathname;
    return back !== undefined && (back === to || this.#leads(back, to));
  }

  /** keep says where a page belongs. */
  keep(page: string, origin: Origin): void {
    this.#known = new Map(this.#known).set(page, origin);
    for (const watcher of this.#watchers) watcher();
  }
}

/** listOf is the list to which a page belongs, however many pages of single things lie between. */
export function listOf(known: ReadonlyMap<string, Origin>, page: string): string | undefined {
  const back = known.get(page)?.pathname;
  return back === undefined ? undefined : (listOf(known, back) ?? back);
}

const origins = new Origins();

/** keepOrigin says where a page belongs that is opened from the one of another row. */
export const keepOrigin = (page: string, origin: Origin): void => origins.keep(page, origin);

/** useOrigins watches the steps from page to page, in one place for all. */
export function useOrigins(): void {
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe("onBeforeNavigate", ({ fromLocation, toLocation }) => origins.moved(fromLocation, toLocation)),
    [router],
  );
}

const useKnown = () => useSyncExternalStore(origins.subscribe, origins.snapshot);

/** useOrigin gives the page from which this one was opened, if it is known. */
export function useOrigin(): Origin | undefined {
  const { pathname } = useLocation();
  return useKnown().get(pathname);
}

/** useListOf gives the address of the list to which this page belongs, if it is known. */
export function useListOf(): string | undefined {
  const { pathname } = useLocation();
  return listOf(useKnown(), pathname);
}

/** useAssumed says to which list this page belongs, for whoever typed its address; undefined: that is not known yet. */
export function useAssumed(list: string | undefined): void {
  const { pathname } = useLocation();
  useEffect(() => {
    if (list) origins.assume(pathname, list);
  }, [pathname, list]);
}
