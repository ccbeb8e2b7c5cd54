import { api, ask, type Schema } from "../../api/client";

export type Answer = Schema<"ImportAnswer">;

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

/** sample is a line of the template, but for the organization. */
export const sample = ["12345678", "Work key", "YubiKey 5C NFC", "5.7.4", "USB-C", ""] as const;

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
