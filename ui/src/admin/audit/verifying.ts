import type { Schema } from "../../api/client";
import { problemOf } from "../../api/problem";
import { session } from "../../session/session";

export type Line = Schema<"AuditVerification">;
export type Result = Schema<"AuditVerificationResult">;

/** Verified is what a verification found, and up to which entry the log was sealed when it began. */
export type Verified = { result: Result; ended: string; upTo: number };

/** findingOf is what a verification says of an entry: null for one that was not sealed yet. */
export function findingOf(id: number, { result, upTo }: Verified): "named" | "bad" | "intact" | null {
  if (result.findings.some((f) => f.entry === id)) return "named";
  if (!result.ok) return "bad";
  return id <= upTo ? "intact" : null;
}

/** lines gives a function that takes an answer's text as it comes, and gives each whole line of it. */
export function lines(): (text: string) => Line[] {
  let rest = "";
  return (text) => {
    const parts = (rest + text).split("\n");
    rest = parts.pop() ?? "";
    return parts.filter(Boolean).map((part) => JSON.parse(part) as Line);
  };
}

/** Broken: the answer ended before its result came. */
export class Broken extends Error {}

/** verify has the server verify the log, and tells how far it is. */
export async function verify(signal: AbortSignal, tell: (line: Line) => void): Promise<Result> {
  const response = await session.fetch(new Request("/api/admin/audit/verify", { signal }));
  if (!response.ok || !response.body) throw await problemOf(response);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const read = lines();
  for (;;) {
    const part = await reader.read().catch((error: unknown) => {
      throw signal.aborted ? error : new Broken("the verification broke off", { cause: error });
    });
    for (const line of part.value ? read(part.value) : []) {
      if (line.result) return line.result;
      tell(line);
    }
    if (part.done) throw new Broken("the verification broke off");
  }
}
