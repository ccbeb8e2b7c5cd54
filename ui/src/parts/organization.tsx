import { useQuery } from "@tanstack/react-query";
import { api, ask } from "../api/client";

/** useOrganization gives one organization's record; null asks for none. */
export function useOrganization(id: number | null) {
  return useQuery({
    queryKey: ["organizations", "name", id],
    queryFn: () => ask(api.GET("/api/admin/organizations/{id}", { params: { path: { id: id ?? 0 } } })),
    enabled: id !== null,
    staleTime: 60_000,
  });
}

/** OrganizationName shows the name of an organization that a record only numbers. */
export function OrganizationName({ id }: { id: number }) {
  const { data } = useOrganization(id);
  return data?.name ?? "…";
}
