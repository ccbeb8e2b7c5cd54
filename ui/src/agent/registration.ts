import { api, ask, type Schema } from "../api/client";
import { isProblem } from "../api/problem";
import { session } from "../session/session";
import type { AgentKey } from "./schema";
import { fingerprint } from "./seal";

const name = "keyward-agent";
const channel = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel(name);
const listeners = new Set<() => void>();
channel?.addEventListener("message", () => notify());

function notify(): void {
  for (const listener of listeners) listener();
}

/** onRegistered calls back when an agent was registered, in this tab or another. It gives the way to stop. */
export function onRegistered(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** sessionId is the present session's, 0 when nobody is signed in. */
export function sessionId(): number {
  const state = session.snapshot();
  return state.kind === "in" ? state.sessionId : 0;
}

/** readSession tells which agent the present session has on record. */
export function readSession(signal?: AbortSignal): Promise<Schema<"Session">> {
  return ask(api.GET("/api/session/{id}", { params: { path: { id: sessionId() } }, signal }));
}

/** Confirmed: the code that the person has compared, where the server asked for that. */
type Confirmed = { confirmedCode?: string; signal?: AbortSignal };

/** askedCode is the code that the server wants to be compared before it takes an agent; empty for other errors. */
export function askedCode(error: unknown): string {
  if (!isProblem(error, "agent_confirmation_required")) return "";
  return String(error.params?.code ?? "");
}

/**
 * registerAgent puts an agent's key on record for the present session. What is
 * on record already is not sent again, for each registration stands in the
 * audit log; so tabs take turns.
 */
export function registerAgent(key: AgentKey, hostname: string, more: Confirmed = {}): Promise<void> {
  const { confirmedCode: confirmed_code, signal } = more;
  return inTurn(async () => {
    const { agent_key_fingerprint } = await readSession(signal);
    if (agent_key_fingerprint === (await fingerprint(key.public_key))) return;
    const params = { path: { id: sessionId() } };
    const body = { public_key: key.public_key, hostname, identity: key.identity, confirmed_code };
    await ask(api.POST("/api/session/{id}/register-agent", { params, body, signal }));
    channel?.postMessage("registered");
    notify();
  });
}

/** inTurn runs one registration at a time over all tabs of this browser. */
async function inTurn(task: () => Promise<void>): Promise<void> {
  if (typeof navigator === "undefined" || !navigator.locks) return task();
  await navigator.locks.request(name, task);
}
