/** Cell is what a field of a CSV file may hold; null is an empty one. */
export type Cell = string | number | boolean | null | undefined | readonly string[];

/** Field is a column of a CSV file, by the name that the API gives it. */
export type Field<T> = readonly [name: string, value: (row: T) => Cell];

/** mark is the byte order mark: without it, Excel takes a file of UTF-8 for one of another encoding. */
export const mark = "\uFEFF";

/** csvLine writes fields as a line (RFC 4180), with its end. */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(written).join(",")}\r\n`;
}

function written(cell: Cell): string {
  if (cell === null || cell === undefined) return "";
  if (typeof cell === "number" || typeof cell === "boolean") return String(cell);
  return defused(typeof cell === "string" ? cell : cell.join(" "));
}

/** What a spreadsheet may take for the begin of a formula, also in the full-width forms that some fold first. */
const formula = /^[=+\-@＝＋－＠]/;

/**
 * defused writes a text, quoted where needed, as the server does in its exports (internal/audit/line). A spreadsheet
 * would run a cell that begins like a formula: an apostrophe before it makes it text (OWASP, "CSV Injection"). Where
 * the list separator is a semicolon, as with Excel in German, quotes may not hold a cell together: what follows a
 * separator or a line's end is defused too.
 */
function defused(text: string): string {
  if (text === "") return "";
  let out = formula.test(text) || /^[\t\r\n]/.test(text) ? "'" : "";
  let begins = false; // a spreadsheet may take what comes for the begin of a cell
  for (const char of text) {
    if (begins && formula.test(char)) out += "'";
    begins = /[;\t\r\n]/.test(char) || (begins && /[" ]/.test(char));
    out += char === '"' ? '""' : char;
  }
  return /^[ '\t]|[,;"\r\n]/.test(text) ? `"${out}"` : out;
}
