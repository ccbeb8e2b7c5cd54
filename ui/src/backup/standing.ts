import type { Job } from "./types";

/** What the page warns of, the most pressing first. */
export type Notice = { kind: "incomplete" | "failed" | "drillFailed"; job: Job };

type Latest = { backup: Job | null; drill: Job | null; restore: Job | null };

/** noticesOf says what of the latest jobs of each kind needs somebody. A job that was cancelled does not. */
export function noticesOf({ backup, drill, restore }: Latest): Notice[] {
  const notices: Notice[] = [];
  if (restore?.outcome === "vault_incomplete") notices.push({ kind: "incomplete", job: restore });
  if (backup && failed(backup)) notices.push({ kind: "failed", job: backup });
  if (drill && failed(drill)) notices.push({ kind: "drillFailed", job: drill });
  return notices;
}

function failed(job: Job): boolean {
  return job.status === "Failed" && job.outcome !== "cancelled";
}
