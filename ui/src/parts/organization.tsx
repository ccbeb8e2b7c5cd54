import { queryOptions, useQuery } from "@tanstack/react-query";
import { api, ask } from "../api/client";

/** organizationQuery asks for one organization's record. */
export function organizationQuery(id: number) {
  return queryOptions({
    queryKey: ["organizations", "name", id],
    queryFn: () => ask(api.GET("/api/admin/organizations/{id}", { params: { path: { id } } })),
    staleTime: 60_000,
  });
}

/** useOrganization gives one organization's record; null asks for none. */
export function useOrganization(id: number | null) {
  return useQuery({ ...organizationQuery(id ?? 0), enabled: id !== null });
}

/** OrganizationName shows the name of an organization that a record only numbers. */
export function OrganizationName({ id }: { id: number }) {
  const { data } = useOrganization(id);
  return data?.name ?? "…";
}
