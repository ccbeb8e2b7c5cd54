/** Format is how an export is written. */
export type Format = "csv" | "ndjson";

const quote = 0x22;
const lineFeed = 0x0a;

/**
 * rowCounter counts the entries of an export as its bytes come: NDJSON has one
 * a line; CSV has a header, and line breaks within quotes that end nothing.
 */
export function rowCounter(format: Format): (chunk: Uint8Array) => number {
  let lines = 0;
  let quoted = false;
  const header = format === "csv" ? 1 : 0;
  return (chunk) => {
    for (const byte of chunk) {
      if (byte === lineFeed) {
        if (!quoted) lines++;
      } else if (header && byte === quote) {
        quoted = !quoted;
      }
    }
    return Math.max(0, lines - header);
  };
}
