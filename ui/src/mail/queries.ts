import { useQuery } from "@tanstack/react-query";
import { every } from "../parts/refetch";
import { getOwn, getSettings } from "./calls";

export const settingsKey = ["mail", "settings"];

/** useSettings asks for the settings, with how the server stands, which changes by itself. */
export function useSettings() {
  return useQuery({ queryKey: settingsKey, queryFn: getSettings, refetchInterval: every(30_000) });
}

export const ownKey = ["notifications"];

/** useOwn asks what comes to the signed-in person by mail, in which language and where. */
export function useOwn() {
  return useQuery({ queryKey: ownKey, queryFn: getOwn });
}
