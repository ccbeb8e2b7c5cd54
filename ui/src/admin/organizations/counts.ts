import { useQueries } from "@tanstack/react-query";
import { api, ask } from "../../api/client";
import { toQuery as certificates } from "../../certificates/show";
import type { Count } from "../../parts/count";
import { toQuery as people } from "../people/filters";
import { toQuery as tokens } from "../stock/filters";

/** The lists of an organization that its page counts, with the filters of their addresses: a number is what its link shows. */
export const counted = {
  people: { to: "/admin/people", search: {} },
  tokens: { to: "/admin/tokens", search: {} },
  certificates: { to: "/certificates", search: { show: "issued" } },
  lapsed: { to: "/certificates", search: { show: "lapsed" } },
  ending: { to: "/certificates", search: { show: "30" } },
  locked: { to: "/admin/people", search: { state: "locked" } },
  invited: { to: "/admin/people", search: { state: "invited" } },
  setUp: { to: "/admin/tokens", search: { status: "assigned" } },
  tokenless: { to: "/admin/people", search: { state: "active", tokens: "none" } },
} as const;
export type Counted = keyof typeof counted;
export type Counts = { [of in Counted]?: Count };

const names = Object.keys(counted) as Counted[];

function fetchCount(of: Counted, organization: number): Promise<Count> {
  const { to, search } = counted[of];
  const one = { limit: 1 };
  const filter = { ...search, organization };
  if (to === "/admin/people") {
    return ask(api.GET("/api/admin/users", { params: { query: { ...people(filter), ...one } } }));
  }
  if (to === "/admin/tokens") {
    return ask(api.GET("/api/hwkey", { params: { query: { ...tokens(filter), ...one } } }));
  }
  return ask(api.GET("/api/certificates", { params: { query: { ...certificates(filter), ...one } } }));
}

/** useCounts asks how long those lists are. */
export function useCounts(organization: number) {
  const keys = { "/admin/people": "users", "/admin/tokens": "hwkeys", "/certificates": "certificates" } as const;
  const queries = useQueries({
    queries: names.map((of) => ({
      queryKey: [keys[counted[of].to], "count", organization, of],
      queryFn: () => fetchCount(of, organization),
    })),
  });
  const counts: Counts = {};
  for (const [i, of] of names.entries()) {
    const data = queries[i]?.data;
    if (data) counts[of] = data;
  }
  return { counts, pending: queries.some((q) => q.isPending), queries };
}
