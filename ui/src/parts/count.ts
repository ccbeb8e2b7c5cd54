/** How many rows a list has on all pages together, as far as the server counted them. */
export type Count = { total: number; total_is_exact: boolean };
