import { type QueryClient, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { every } from "../parts/refetch";
import * as calls from "./calls";
import { active, lookAgain } from "./phases";
import type { Job, Kind } from "./types";

/** What the list of backups shows at most. */
const listed = 100;

export const settingsKey = ["backups", "settings"];

export function useSettings() {
  // With when the schedules come, and what is overdue: that changes by itself.
  return useQuery({ queryKey: settingsKey, queryFn: calls.getSettings, refetchInterval: every(60_000) });
}

export function useList(enabled = true) {
  return useQuery({ queryKey: ["backups", "list"], queryFn: () => calls.list(listed), enabled, retry: false });
}

/** useLatest asks for the latest job of a kind, or the latest of those that ended in one way. */
export function useLatest(kind: Kind, status?: Job["status"]) {
  return useQuery({
    queryKey: ["backups", "latest", kind, status ?? ""],
    queryFn: async () => (await calls.jobs({ kind, limit: 1, ...(status && { status }) })).items[0] ?? null,
  });
}

/** useUnfinished asks for the restore that has changed things and is not finished. */
export function useUnfinished() {
  return useQuery({
    queryKey: ["backups", "latest", "unfinished"],
    queryFn: async () => (await calls.restoreStatus()).unfinished,
  });
}

const runningKey = ["backups", "running"];

/** began shows a job that has just begun: it may be over before anybody asks what runs. */
export async function began(queries: QueryClient, job: Job): Promise<void> {
  // An answer that is on its way may be from before.
  await queries.cancelQueries({ queryKey: runningKey });
  queries.setQueryData(runningKey, job);
}

/** useRunning follows the job that runs, and asks often while there is one. */
export function useRunning() {
  return useQuery({
    queryKey: runningKey,
    queryFn: async () => (await calls.running()).items[0] ?? null,
    refetchInterval: ({ state }) => lookAgain(Boolean(state.data)),
    staleTime: 0,
  });
}

/**
 * useWatched gives the job that runs, and when it is over how it ended, until
 * it is dismissed. onOver is told of the end.
 */
export function useWatched(onOver: (job: Job) => void) {
  const running = useRunning();
  const [watched, setWatched] = useState<number | null>(null);
  const now = running.data ?? null;
  if (now && now.job_id !== watched) setWatched(now.job_id);
  const gone = watched !== null && running.isSuccess && !running.isFetching && now === null;
  const ended = useQuery({
    queryKey: ["backups", "job", watched],
    queryFn: () => calls.one(watched ?? 0),
    enabled: gone,
    staleTime: 0,
    // It may have ended after it was asked for.
    refetchInterval: ({ state }) => (gone && state.data && active(state.data) ? lookAgain(true) : false),
  });
  const over = now === null && ended.data && ended.data.job_id === watched && !active(ended.data) ? ended.data : null;
  useEffect(() => {
    if (over) onOver(over);
  }, [over, onOver]);
  return { query: running, job: now ?? over, dismiss: () => setWatched(null) };
}
