import { mark } from "../../parts/csv";

/** mostBytes is what the server takes of a CSV file (contract, "Bodies"). */
export const mostBytes = 8 * 1024 * 1024;

/**
 * template is a file to begin with: the header, and a line that shows what goes where. German Excel opens it in columns
 * by its semicolons and the byte order mark.
 */
export function template(columns: readonly string[], example: readonly string[], language: string): Blob {
  const lines = [columns, example].map((cells) => `${cells.map(quoted).join(language === "de" ? ";" : ",")}\r\n`);
  return new Blob([mark, ...lines], { type: "text/csv" });
}

/** quoted is a cell of a CSV file (RFC 4180). */
function quoted(cell: string): string {
  return /[",;\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
