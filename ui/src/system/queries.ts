import { useQuery } from "@tanstack/react-query";
import { api, ask } from "../api/client";
import { every } from "../parts/refetch";

/** How often the page looks again while it is live. */
const refreshEvery = 15_000;

function useSystemQuery<T>(name: string, live: boolean, fetch: () => Promise<T>) {
  return useQuery({
    queryKey: ["system", name],
    queryFn: fetch,
    refetchInterval: every(live && refreshEvery),
    // One look in fifteen seconds is enough; the next one comes anyway.
    retry: false,
  });
}

/** useSystem asks for everything that the health page shows, again and again while live. */
export function useSystem(live: boolean) {
  return {
    health: useSystemQuery("health", live, () => ask(api.GET("/api/admin/system/health"))),
    info: useSystemQuery("info", live, () => ask(api.GET("/api/admin/system/info"))),
    database: useSystemQuery("database", live, () => ask(api.GET("/api/admin/system/database"))),
    vault: useSystemQuery("vault", live, () => ask(api.GET("/api/admin/system/vault"))),
    storage: useSystemQuery("storage", live, () => ask(api.GET("/api/admin/system/storage"))),
    recovery: useSystemQuery("recovery", live, () => ask(api.GET("/api/admin/system/recover"))),
    jobs: useSystemQuery("jobs", live, () => ask(api.GET("/api/admin/system/jobs"))),
    seal: useSystemQuery("seal", live, () => ask(api.GET("/api/admin/audit/seal"))),
    published: useSystemQuery("crl", live, () => ask(api.GET("/api/pki/crl/status"))),
  };
}
