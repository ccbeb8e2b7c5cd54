import createClient from "openapi-fetch";
import { session } from "../session/session";
import type { components, paths } from "./backend.gen";
import { Problem, problemOf, Unreachable } from "./problem";

/** Schemas of api/backend.yaml by name: Schema<"HWKey">. */
export type Schema<Name extends keyof components["schemas"]> = components["schemas"][Name];

const client = createClient<paths>({ baseUrl: "", fetch: (request) => session.fetch(request) });

type Answer<T> = { data?: T; error?: unknown; response: Response };

/**
 * ask gives an operation's body, and throws Problem for a refusal and
 * Unreachable when no answer came:
 *
 *	const page = await ask(api.GET("/api/hwkey", { params: { query: { q } } }));
 */
export async function ask<T>(call: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await call;
  if (!response.ok) {
    // openapi-fetch has read the body already.
    const document = typeof error === "object" && error !== null ? { ...(error as Record<string, unknown>) } : {};
    if (!document.request_id) document.request_id = response.headers.get("X-Request-Id") ?? "";
    throw new Problem(response.status, document, response.headers.get("Retry-After"));
  }
  return data as T;
}

/** api calls operations of the server, signed in as the present person. */
export const api = client;

/** download fetches a file as the present person and hands it to the browser. */
export async function download(path: string, name: string): Promise<void> {
  const response = await session.fetch(new Request(path));
  if (!response.ok) throw await problemOf(response);
  let blob: Blob;
  try {
    blob = await response.blob();
  } catch (cause) {
    throw new Unreachable("server", cause);
  }
  save(blob, name);
}

/** save offers content as a file. */
export function save(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
