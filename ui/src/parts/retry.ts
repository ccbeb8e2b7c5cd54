import { isProblem } from "../api/problem";

const pause = (ms: number) => new Promise<void>((go) => setTimeout(go, ms));

/** retry asks again when the server said that it was too soon. Whoever asks for much meets its limit for one person. */
export async function retry<T>(ask: () => Promise<T>, wait = pause): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!isProblem(error, "rate_limited") || error.status !== 429) throw error;
      await wait((error.retryAfter ?? 1) * 1000);
    }
  }
}
