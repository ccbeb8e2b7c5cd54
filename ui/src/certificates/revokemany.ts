import { isProblem, Problem } from "../api/problem";
import { retry } from "../parts/retry";
import type { Certificate } from "./queries";

/** Fate is what became of a certificate that was to be revoked; already: somebody else had done it. */
export type Fate = { certificate: Certificate; fate: "revoked" | "already" | Problem };

/** revocable tells whether a certificate can be revoked, as far as the page knows. The server decides. */
export function revocable({ status }: Certificate): boolean {
  return status === "issued";
}

/**
 * revokeMany revokes one after the other. kept has what became of each: where an answer is lost, or the session ends,
 * whoever begins again with it goes on from there.
 */
export async function revokeMany(
  certificates: readonly Certificate[],
  revoke: (serial: string) => Promise<unknown>,
  kept: Map<string, Fate>,
  told: (done: number) => void,
): Promise<Fate[]> {
  for (const certificate of certificates) {
    const serial = certificate.serial_number;
    if (kept.has(serial)) continue;
    let fate: Fate["fate"] = "revoked";
    try {
      await retry(() => revoke(serial));
    } catch (error) {
      if (!(error instanceof Problem) || error.status === 401) throw error;
      fate = isProblem(error, "conflict") ? "already" : error;
    }
    kept.set(serial, { certificate, fate });
    told(kept.size);
  }
  return [...kept.values()];
}
