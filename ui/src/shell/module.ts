import { Unreachable } from "../api/problem";

/**
 * reached waits for a page's module. Without it, the error is that the server is away: the router would load the whole
 * page again, and leave the person with the browser's own page.
 */
export function reached<T>(load: () => Promise<T>): () => Promise<T> {
  return () =>
    load().catch((cause: unknown) => {
      throw new Unreachable("server", cause);
    });
}
