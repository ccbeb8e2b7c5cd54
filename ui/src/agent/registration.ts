import { api, ask, type Schema } from "../api/client";
import { session } from "../session/session";
import { fingerprint } from "./seal";

function sessionId(): number {
  const state = session.snapshot();
  return state.kind === "in" ? state.sessionId : 0;
}

/** readSession tells which agent the present session has on record. */
export function readSession(signal?: AbortSignal): Promise<Schema<"Session">> {
  return ask(api.GET("/api/session/{id}", { params: { path: { id: sessionId() } }, signal }));
}

/**
 * registerAgent puts an agent's key on record for the present session. What is
 * on record already is not sent again: each registration stands in the audit log.
 */
export async function registerAgent(publicKey: string, hostname: string, signal?: AbortSignal): Promise<void> {
  const { agent_key_fingerprint } = await readSession(signal);
  if (agent_key_fingerprint === (await fingerprint(publicKey))) return;
  const params = { path: { id: sessionId() } };
  await ask(
    api.POST("/api/session/{id}/register-agent", { params, body: { public_key: publicKey, hostname }, signal }),
  );
}
