import { api, ask, type Schema } from "../../api/client";
import { csvLine, mark } from "../../parts/csv";

export type Imported = Schema<"ImportedUsers">;
type Row = Schema<"ImportedUser">;

/** columns are those of a file of people, in the order of the template. */
export const columns = ["username", "name", "email", "upn", "sid", "role", "organization"] as const;

/** sample is a line of the template, but for the organization. */
export const sample = ["jane", "Jane Doe", "jane@example.org", "", "", "user"] as const;

/** atOnce is how many accounts one request makes: so there is progress to show. */
const atOnce = 50;

/** send has the server check a file of people, or make the next accounts of it. */
export function send(content: Blob, query: { dry_run?: boolean; invite?: boolean; limit?: number }): Promise<Imported> {
  return ask(
    api.POST("/api/admin/users/import", {
      params: { query },
      body: "",
      bodySerializer: () => content,
      headers: { "Content-Type": "text/csv" },
    }),
  );
}

/**
 * importAll makes the accounts of a file, part by part, until none is left, and tells what it made:
 * their links are shown this once. What it made before it was cut off stays, and the same file goes on from there.
 */
export async function importAll(
  next: (limit: number) => Promise<Imported>,
  onProgress: (made: readonly Row[]) => void,
): Promise<Imported> {
  const made = new Map<number, Row>();
  for (;;) {
    const answer = await next(atOnce);
    for (const row of answer.rows) if (row.result === "created") made.set(row.line, row);
    onProgress([...made.values()]);
    if (answer.left === 0 || answer.created === 0) {
      const rows = answer.rows.map((row) => made.get(row.line) ?? row);
      return { ...answer, rows, created: made.size, unchanged: rows.filter((r) => r.result === "unchanged").length };
    }
  }
}

/** links are the invitations that were made, to hand over. */
export function links(rows: readonly Row[]): Blob {
  const lines = rows.flatMap((row) => (row.invitation_url ? [csvLine([row.username, row.invitation_url])] : []));
  return new Blob([mark, csvLine(["username", "invitation_url"]), ...lines], { type: "text/csv" });
}
