import { api, ask, type Schema } from "../api/client";

export type View = Schema<"View">;
export type ViewList = View["list"];

/** viewsQuery asks for the saved views, one's own and the organization's. */
export const viewsQuery = {
  queryKey: ["views"] as const,
  queryFn: async () => (await ask(api.GET("/api/views"))).views,
  staleTime: 60_000,
};

const passing = ["page", "after", "rows", "person", "register", "columns"];

/** viewOf is what of an address makes a view: filters, order and the columns, but not the place in the list. */
export function viewOf(search: object, columns: string): Record<string, unknown> {
  const kept = Object.entries(search).filter(([name, value]) => !passing.includes(name) && value !== undefined);
  return Object.fromEntries([...kept, ...(columns ? [["columns", columns]] : [])]);
}
