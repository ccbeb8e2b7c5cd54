import { oneOf } from "../admin/address";
import type { Sorted } from "../parts/list";
import { type Filters, isDays } from "./show";

/** The orders of the list, as the server names them. */
export const orders = ["-issued", "not_after", "-not_after"] as const;
export type Order = (typeof orders)[number];

/** usualOrder is that of a list for which none was chosen: what ends soon is shown by its end. */
export function usualOrder({ show }: Filters): Order {
  return show && isDays(show) ? "not_after" : "-issued";
}

/** readOrder takes the order from an address, or the usual one. */
export function readOrder(get: (name: string) => string | undefined, filters: Filters): Order {
  return oneOf(get("sort"), orders) ?? usualOrder(filters);
}

/** nextOrder is what another click on the column of ends gives: the first, the last to end, and neither. */
export function nextOrder(order: Order): Order {
  return orders[(orders.indexOf(order) + 1) % orders.length] ?? "-issued";
}

/** sortedBy says how the column of ends is sorted in that order. */
export function sortedBy(order: Order): Sorted {
  if (order === "not_after") return "ascending";
  return order === "-not_after" ? "descending" : "none";
}
