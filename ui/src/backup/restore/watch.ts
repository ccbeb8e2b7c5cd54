import { useQuery } from "@tanstack/react-query";
import { isProblem, Problem, problemOf } from "../../api/problem";
import { session } from "../../session/session";
import { active } from "../phases";
import type { Job } from "../types";

/** What is known of the restore. out: its end signed the person out, and it cannot be asked any more. */
type Seen = { kind: "job"; job: Job; unfinished: Job | null } | { kind: "none" } | { kind: "out" };

const gone = ["token_expired", "token_invalid", "token_missing", "session_not_found"];

async function look(): Promise<Seen> {
  const response = await session.peek("/api/backup/restore/status");
  if (response.ok) {
    const { job, unfinished } = (await response.json()) as { job: Job | null; unfinished: Job | null };
    return job ? { kind: "job", job, unfinished } : { kind: "none" };
  }
  const problem = await problemOf(response);
  if (isProblem(problem, ...gone)) return { kind: "out" };
  throw problem;
}

/** over tells whether there is nothing more to be asked. */
function over(seen: Seen | undefined): boolean {
  return seen !== undefined && (seen.kind !== "job" || !active(seen.job));
}

/**
 * useRestore follows a restore, past the end of this page's own session: its
 * access token still reads how that goes on. What is known stays while the server
 * does not answer, and while it no longer knows who asks.
 */
export function useRestore(enabled: boolean) {
  return useQuery({
    queryKey: ["restore"],
    queryFn: look,
    enabled,
    refetchInterval: ({ state }) => (over(state.data) ? false : 1000),
    // It asks again anyway, but for what asking does not mend.
    retry: (count, error) => count < 3 && !(error instanceof Problem && error.status === 403),
    gcTime: 0,
    staleTime: 0,
  });
}
