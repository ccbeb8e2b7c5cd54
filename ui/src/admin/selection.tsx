import { Checkbox } from "@mantine/core";
import { useCallback, useMemo, useState } from "react";
import type { Column } from "../parts/list";

type Key = string | number;

export type Selection<T> = {
  chosen: readonly T[];
  has: (row: T) => boolean;
  /** set selects or deselects these. */
  set: (rows: readonly T[], on: boolean) => void;
  clear: () => void;
};

/**
 * useSelection remembers chosen rows over pages, until the list is about something else. It is the same object until
 * something is chosen, given the same keyOf.
 */
export function useSelection<T>(list: string, keyOf: (row: T) => Key): Selection<T> {
  const [state, setState] = useState({ list, chosen: new Map<Key, T>() });
  return useMemo(() => {
    // What no longer stands in the list must not be changed unseen.
    const chosen = state.list === list ? state.chosen : new Map<Key, T>();
    return {
      chosen: [...chosen.values()],
      has: (row) => chosen.has(keyOf(row)),
      set: (rows, on) => {
        const next = new Map(chosen);
        for (const row of rows) {
          if (on) next.set(keyOf(row), row);
          else next.delete(keyOf(row));
        }
        setState({ list, chosen: next });
      },
      clear: () => setState({ list, chosen: new Map() }),
    };
  }, [state, list, keyOf]);
}

// What has the focus must not lie behind the bar of the selection.
const clear = { input: { scrollMarginBottom: 80 } };

type Words = { page: string; one: (name: string) => string };

/**
 * useSelectColumn is the column of boxes, where something can be selected; page is what stands on the present page, name
 * what a row is called.
 */
export function useSelectColumn<T>(
  page: readonly T[],
  selection: Selection<T> | undefined,
  words: Words,
  name: (row: T) => string,
): Column<T>[] {
  const cell = useCallback(
    (row: T) => (
      <Checkbox
        size="sm"
        styles={clear}
        aria-label={words.one(name(row))}
        checked={selection?.has(row) ?? false}
        onChange={(e) => selection?.set([row], e.currentTarget.checked)}
      />
    ),
    [selection, words, name],
  );
  if (!selection) return [];
  const here = page.filter(selection.has).length;
  const column: Column<T> = {
    id: "select",
    width: 44,
    header: (
      <Checkbox
        size="sm"
        aria-label={words.page}
        checked={here > 0 && here === page.length}
        indeterminate={here > 0 && here < page.length}
        onChange={(e) => selection.set(page, e.currentTarget.checked)}
      />
    ),
    cell,
  };
  return [column];
}
