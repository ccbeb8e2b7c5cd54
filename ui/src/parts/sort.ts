/** How a column that can be sorted by is sorted; the words are those of ARIA. */
export type Sorted = "ascending" | "descending" | "none";

/** An order as the server names it: by what, and with "-" the other way round. */
export type Order = string;

/** sortedBy says how a column is sorted in an order. */
export function sortedBy(column: string, order: Order): Sorted {
  if (order === column) return "ascending";
  return order === `-${column}` ? "descending" : "none";
}

/**
 * nextOrder is what another click on a column's name gives: first to last, last to first, and the list's own order. Of
 * the column that gives the list its own order there are two.
 */
export function nextOrder(column: string, order: Order, natural: Order): Order {
  if (order === column) return `-${column}`;
  if (natural === `-${column}`) return column;
  return order === `-${column}` ? natural : column;
}

/** inOrder sorts rows that are all here: texts as a reader of the language expects them, "2" before "10". */
export function inOrder<T>(rows: readonly T[], by: (row: T) => string | number, order: Order, language: string): T[] {
  const collator = new Intl.Collator(language, { numeric: true, sensitivity: "base" });
  const sign = order.startsWith("-") ? -1 : 1;
  return [...rows].sort((a, b) => {
    const [x, y] = [by(a), by(b)];
    return sign * (typeof x === "number" && typeof y === "number" ? x - y : collator.compare(String(x), String(y)));
  });
}
