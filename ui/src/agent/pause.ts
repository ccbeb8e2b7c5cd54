import { Problem } from "../api/problem";

const first = 5_000; // ms
const most = 300_000;

/**
 * pause is how long the page waits by itself after a failed look, in ms: twice
 * as long each time, for a look may register the agent; never less than the
 * server asks for.
 */
export function pause(error: unknown, times: number): number {
  const asked = error instanceof Problem && error.retryAfter !== null ? error.retryAfter * 1000 : 0;
  return Math.max(asked, Math.min(first * 2 ** (times - 1), most));
}
