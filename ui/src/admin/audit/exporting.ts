import { Problem, problemOf } from "../../api/problem";
import { session } from "../../session/session";
import { type Format, rowCounter } from "./rows";

/** Progress is how far an export is. */
export type Progress = { rows: number; bytes: number; inMemory: boolean };

/** Cut: the stream ended before the export did. */
export class Cut extends Error {}

/** Target takes an export's bytes: a file on the disk, or the memory of this page. */
export type Target = {
  inMemory: boolean;
  write: (chunk: Uint8Array<ArrayBuffer>) => Promise<void>;
  /** finish makes a file of what was written. */
  finish: () => Promise<void>;
  /** discard leaves nothing behind. */
  discard: () => Promise<void>;
};

/**
 * stream writes an answer of the server to a target as it comes, so that an
 * export may be larger than the memory. A part of it is never kept: it would
 * look like the whole.
 */
export async function stream(
  path: string,
  format: Format,
  target: Target,
  signal: AbortSignal,
  onProgress: (p: Progress) => void,
): Promise<Progress> {
  const count = rowCounter(format);
  const progress: Progress = { rows: 0, bytes: 0, inMemory: target.inMemory };
  let begun = false;
  try {
    const response = await session.fetch(new Request(path, { signal }));
    if (!response.ok) throw await problemOf(response);
    begun = true;
    const reader = response.body?.getReader();
    for (;;) {
      const part = await reader?.read();
      if (!part || part.done) break;
      await target.write(part.value);
      progress.bytes += part.value.byteLength;
      progress.rows = count(part.value);
      onProgress({ ...progress });
    }
    await target.finish();
    return progress;
  } catch (error) {
    await target.discard().catch(() => undefined);
    if (signal.aborted || !begun || error instanceof Problem) throw error;
    throw new Cut("the export broke off", { cause: error });
  }
}
