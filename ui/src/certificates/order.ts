import { oneOf } from "../parts/address";
import { type Filters, isDays } from "./show";

/** The orders of the list, as the server names them. */
export const orders = ["-issued", "issued", "not_after", "-not_after", "common_name", "-common_name"] as const;
export type Order = (typeof orders)[number];

/** usualOrder is that of a list for which none was chosen: what ends soon, or ended and nobody renewed, is shown by its end. */
export function usualOrder({ show, week }: Filters): Order {
  return week || isDays(show) || show === "lapsed" ? "not_after" : "-issued";
}

/** readOrder takes the order from an address, or the usual one. */
export function readOrder(get: (name: string) => string | undefined, filters: Filters): Order {
  return oneOf(get("sort"), orders) ?? usualOrder(filters);
}
