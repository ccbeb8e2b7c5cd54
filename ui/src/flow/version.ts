/**
 * algorithm is the management key's for a firmware version: AES-192 from 5.4.2
 * on, 3DES before (contract, "Hardware tokens and custody"). A version that
 * cannot be read leaves the choice to the agent.
 */
export function algorithm(version: string): "AES192" | "TDES" | undefined {
  const [, major, minor, patch] = /^(\d+)\.(\d+)\.(\d+)/.exec(version) ?? [];
  if (major === undefined) return undefined;
  return Number(major) * 10_000 + Number(minor) * 100 + Number(patch) >= 50_402 ? "AES192" : "TDES";
}
