import { save } from "../../api/client";
import type { Target } from "./exporting";
import type { Format } from "./rows";

const types: Record<Format, string> = { csv: "text/csv", ndjson: "application/x-ndjson" };

type Picker = (options: {
  suggestedName: string;
  types: { accept: Record<string, string[]> }[];
}) => Promise<FileSystemFileHandle>;

declare global {
  interface Window {
    /** Chromium only, and on secure pages only. */
    showSaveFilePicker?: Picker;
  }
}

/**
 * chooseTarget asks where to save, where the browser can write to the disk;
 * elsewhere the page's memory has to do. Null when the person chose nothing.
 * It must be called first thing in a click's handler, else the browser refuses.
 */
export async function chooseTarget(format: Format, now = new Date()): Promise<Target | null> {
  const stamp = now.toISOString().replace(/[-:]|\.\d+/g, "");
  const name = `keyward-audit-${stamp}.${format}`;
  const picker = window.showSaveFilePicker;
  if (!picker) return memory(name, types[format]);
  try {
    const handle = await picker.call(window, {
      suggestedName: name,
      types: [{ accept: { [types[format]]: [`.${format}`] } }],
    });
    return disk(await handle.createWritable());
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") return null;
    // A policy or a frame forbids it.
    return memory(name, types[format]);
  }
}

/** disk writes beside the file, which takes its place when all is written. */
function disk(file: FileSystemWritableFileStream): Target {
  return {
    inMemory: false,
    write: (chunk) => file.write(chunk),
    finish: () => file.close(),
    discard: () => file.abort(),
  };
}

function memory(name: string, type: string): Target {
  let parts: Uint8Array<ArrayBuffer>[] = [];
  return {
    inMemory: true,
    write: async (chunk) => {
      parts.push(chunk);
    },
    finish: async () => save(new Blob(parts, { type }), name),
    discard: async () => {
      parts = [];
    },
  };
}
