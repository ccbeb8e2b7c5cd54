import { api, ask, type Schema } from "../../api/client";

export type Answer = Schema<"ImportAnswer">;

/** mostBytes is what the server takes of a CSV file (contract, "Bodies"). */
export const mostBytes = 8 * 1024 * 1024;

/** columns are those of an import file, in the order of the template. */
export const columns = [
  "serial",
  "label",
  "model",
  "firmware_version",
  "form_factor",
  "owner",
  "organization",
] as const;

/** sendFile has the server check a file, or import it. The bytes go as they are: what is no UTF-8 is the server's to say. */
export function sendFile(content: Blob, dryRun: boolean): Promise<Answer> {
  return ask(
    api.POST("/api/hwkey/import", {
      params: { query: { dry_run: dryRun } },
      body: "",
      bodySerializer: () => content,
      headers: { "Content-Type": "text/csv" },
    }),
  );
}

/** template is a file to begin with: the header, and a line that shows what goes where. */
export function template(organization: string): Blob {
  const example = ["12345678", "Work key", "YubiKey 5C NFC", "5.7.4", "USB-C", "", quoted(organization)];
  return new Blob([`${columns.join(",")}\n${example.join(",")}\n`], { type: "text/csv" });
}

/** quoted is a cell of a CSV file (RFC 4180). */
export function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
