import { useQuery } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { api, ask, type Schema } from "../api/client";
import { session } from "./session";

export type Me = Schema<"Me">;

/** useSessionState follows the session of this page. */
export function useSessionState() {
  return useSyncExternalStore(session.subscribe, session.snapshot);
}

export const meQuery = {
  queryKey: ["me"],
  queryFn: () => ask(api.GET("/api/auth/me")),
  staleTime: 60_000,
};

/** useMe gives who is signed in. The layout has loaded it before any page is shown. */
export function useMe(): Me {
  const { data } = useQuery(meQuery);
  if (!data) throw new Error("useMe outside of the signed-in layout");
  return data;
}

/** useMay tells whether the person may call an operation, by its id in api/backend.yaml. */
export function useMay(): (operation: string) => boolean {
  const me = useMe();
  return (operation) => me.permissions.includes(operation);
}
