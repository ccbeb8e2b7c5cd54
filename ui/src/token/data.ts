import { queryOptions, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { agent } from "../agent/client";
import { api, ask, type Schema } from "../api/client";
import { isProblem } from "../api/problem";
import { type SlotName, slotNames } from "./slots";
import { underway } from "./underway";

/** useMine lists the person's own tokens, as many pages as were asked for. */
export function useMine(owner: number) {
  return useInfiniteQuery({
    queryKey: ["hwkeys", "mine", owner],
    queryFn: ({ pageParam }) =>
      ask(
        api.GET("/api/hwkey", {
          params: { query: { owner_id: owner, limit: 50, cursor: pageParam } },
        }),
      ),
    initialPageParam: "",
    getNextPageParam: (page: Schema<"PageHWKey">) => page.next_cursor ?? undefined,
  });
}

/** deviceQuery reads a token's record; null: there is none that this person may see. */
export function deviceQuery(serial: string) {
  return queryOptions({
    queryKey: ["hwkey", serial],
    queryFn: async () => {
      try {
        return await ask(api.GET("/api/hwkey/{serial}", { params: { path: { serial } } }));
      } catch (error) {
        if (isProblem(error, "not_found")) return null;
        throw error;
      }
    },
  });
}

/**
 * searchedQuery looks for a token whose serial number somebody is typing; null: there is none that this person may see.
 * Its record is not asked for by name: the audit log would have each beginning of the number as an attempt.
 */
export function searchedQuery(serial: string) {
  return queryOptions({
    queryKey: ["hwkeys", "searched", serial],
    queryFn: async () => {
      const query = { q: serial, sort: "serial", limit: 100 } as const;
      const { items } = await ask(api.GET("/api/hwkey", { params: { query } }));
      return items.find((d) => d.serial.toLowerCase() === serial.toLowerCase()) ?? null;
    },
  });
}

/** useDevice reads a token's record, as deviceQuery does. */
export function useDevice(serial: string) {
  return useQuery(deviceQuery(serial));
}

/**
 * seenQuery reads what a plugged-in card shows without a secret. Forgotten as soon as nobody looks; read again when the
 * person comes back to the page or the card to the reader: another program may have changed it.
 */
export function seenQuery(serial: string) {
  return queryOptions({
    queryKey: ["card", serial],
    gcTime: 0,
    staleTime: 2_000, // one look for all who show it
    refetchOnWindowFocus: () => (underway(["card", serial]) ? false : "always"),
    retry: 1,
    queryFn: async ({ signal }) => {
      const at = Date.now();
      const card = await agent.info(serial, undefined, signal);
      return { card, defaults: await agent.checkDefaults(serial, signal), at };
    },
  });
}

/** useSeen reads a card, as seenQuery does, while it is plugged in. */
export function useSeen(serial: string, plugged: boolean) {
  return useQuery({ ...seenQuery(serial), enabled: plugged });
}

/** profilesQuery reads what a token's slots are for, and which of them a set-up fills. */
export function profilesQuery(serial: string) {
  return queryOptions({
    queryKey: ["profiles", "usable", serial],
    queryFn: () => ask(api.GET("/api/certificate-profiles", { params: { query: { serial } } })),
  });
}

/** planOf are the slots that a set-up fills. */
export function planOf(profiles: Schema<"UsableProfiles"> | undefined): SlotName[] {
  return slotNames.filter((slot) => profiles?.plan.includes(slot));
}

/** useReleases reads how often the token's secrets left, and whether the audit log has it. */
export function useReleases(serial: string) {
  return useQuery({
    queryKey: ["hwkey", serial, "releases"],
    retry: false,
    queryFn: () => ask(api.GET("/api/hwkey/{serial}/releases", { params: { path: { serial } } })),
  });
}

/** useRecords reads a token's certificates, present and former, newest first. */
export function useRecords(serial: string, wanted = true) {
  return useQuery({
    queryKey: ["hwkey", serial, "certificates"],
    enabled: wanted,
    queryFn: () =>
      ask(api.GET("/api/hwkey/{serial}/certificates", { params: { path: { serial }, query: { limit: 100 } } })),
  });
}
