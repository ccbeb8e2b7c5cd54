import { Problem, Unreachable } from "../api/problem";

const soonest = 5_000; // ms

/** afterFailure is when a page asks again by itself, in ms: a server that is away or overloaded comes back, a refusal stays one. */
export function afterFailure(error: Error): number | false {
  if (error instanceof Unreachable) return soonest;
  if (!(error instanceof Problem) || (error.status < 500 && error.status !== 429)) return false;
  return Math.max(soonest, (error.retryAfter ?? 0) * 1000);
}

/** every is how often something is asked that changes by itself, in ms; sooner after a failure that passes. */
export const every =
  (ms: number | false) =>
  ({ state: { error } }: { state: { error: Error | null } }): number | false =>
    (error !== null && afterFailure(error)) || ms;
