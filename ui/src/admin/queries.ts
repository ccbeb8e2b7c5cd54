import type { QueryClient } from "@tanstack/react-query";
import { api, ask } from "../api/client";

/** personQuery asks for one account. */
export function personQuery(id: number) {
  return {
    queryKey: ["users", "one", id] as const,
    queryFn: () => ask(api.GET("/api/admin/users/{id}", { params: { path: { id } } })),
  };
}

/** authConfigQuery asks for what a sign-in page may know: the password policy is in it. */
export const authConfigQuery = {
  queryKey: ["auth-config"],
  queryFn: () => ask(api.GET("/api/auth/config")),
  staleTime: 300_000,
};

/**
 * changed lets every page ask anew. People, organizations, tokens and
 * certificates hang together: a disabled account suspends tokens, a new owner
 * revokes certificates.
 */
export function changed(queries: QueryClient): Promise<void> {
  return queries.invalidateQueries();
}
