import type { AgentSchema } from "../agent/schema";

/** The only one that the server signs by default. */
export const keyAlgorithm = "RSA2048";

/** isOtherKey tells whether a slot's certificate is surely for another key than the slot holds. */
export function isOtherKey(slot: AgentSchema<"Slot"> | undefined): boolean {
  const key = slot?.public_key_sha256;
  return Boolean(key && slot?.certificate && slot.certificate.public_key_sha256 !== key);
}
