import type { AgentSchema } from "../agent/schema";

/** What the server signs by default, and every agent makes. */
export const usualKeyType = "rsa-2048";

/** keyAlgorithm is a key type's name in the agent's answers: RSA2048, ECCP256. */
export function keyAlgorithm(type: string): string {
  return type.toUpperCase().replace("EC-", "ECC").replaceAll("-", "");
}

/** isOtherKey tells whether a slot's certificate is surely for another key than the slot holds. */
export function isOtherKey(slot: AgentSchema<"Slot"> | undefined): boolean {
  const key = slot?.public_key_sha256;
  return Boolean(key && slot?.certificate && slot.certificate.public_key_sha256 !== key);
}
