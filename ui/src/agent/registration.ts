import { api, ask, type Schema } from "../api/client";
import { session } from "../session/session";
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

/**
 * registerAgent puts an agent's key on record for the present session. What is
 * on record already is not sent again, for each registration stands in the
 * audit log; so tabs take turns.
 */
export function registerAgent(publicKey: string, hostname: string, signal?: AbortSignal): Promise<void> {
  return inTurn(async () => {
    const { agent_key_fingerprint } = await readSession(signal);
    if (agent_key_fingerprint === (await fingerprint(publicKey))) return;
    const params = { path: { id: sessionId() } };
    const body = { public_key: publicKey, hostname };
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
