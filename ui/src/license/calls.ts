import { queryOptions } from "@tanstack/react-query";
import { api, ask } from "../api/client";
import { every } from "../parts/refetch";

/** licenseQuery asks how the installation is licensed: every minute, since other servers and administrators change it, too. */
export const licenseQuery = queryOptions({
  queryKey: ["license", "standing"],
  queryFn: () => ask(api.GET("/api/admin/license")),
  refetchInterval: every(60_000),
  staleTime: 30_000,
  // One look in a minute is enough; the next one comes anyway.
  retry: false,
});

export const historyKey = ["license", "history"];

/** history gives a page of what was done with the license. */
export function history(cursor: string | undefined, limit: number) {
  return ask(api.GET("/api/admin/license/history", { params: { query: { cursor, limit } } }));
}

/** upload sends a license file as it is, not as JSON made anew. replaceNewer: even when a newer one was stored here before. */
export function upload(file: string, replaceNewer: boolean) {
  return ask(
    api.POST("/api/admin/license/upload", {
      params: { query: replaceNewer ? { replace_newer: true } : {} },
      body: {},
      bodySerializer: () => file,
      headers: { "Content-Type": "application/json" },
    }),
  );
}

/** remove removes the stored license. */
export function remove() {
  return ask(api.DELETE("/api/admin/license"));
}
