import { Problem, Unreachable } from "../api/problem";

const soonest = 10_000; // ms

/** afterFailure is when a list asks again by itself, in ms: a server that is away or overloaded comes back, a refusal stays one. */
export function afterFailure(error: Error): number | false {
  if (error instanceof Unreachable) return soonest;
  if (!(error instanceof Problem) || (error.status < 500 && error.status !== 429)) return false;
  return Math.max(soonest, (error.retryAfter ?? 0) * 1000);
}
