import type { Schema } from "../../api/client";

export type Key = Schema<"APIKey">;
export type KeyState = "active" | "expiring" | "expired" | "revoked";

const soon = 14 * 86_400_000;

/** keyState says how a key stands at a time. */
export function keyState(key: Pick<Key, "revoked_at" | "expires_at">, now = Date.now()): KeyState {
  if (key.revoked_at) return "revoked";
  const left = new Date(key.expires_at).getTime() - now;
  if (left <= 0) return "expired";
  return left < soon ? "expiring" : "active";
}
