import { useQuery } from "@tanstack/react-query";
import { api, ask } from "../api/client";

/** OrganizationName shows the name of an organization that a record only numbers. */
export function OrganizationName({ id }: { id: number }) {
  const { data } = useQuery({
    queryKey: ["organizations", "name", id],
    queryFn: () => ask(api.GET("/api/admin/organizations/{id}", { params: { path: { id } } })),
    staleTime: 60_000,
  });
  return <>{data?.name ?? "…"}</>;
}
