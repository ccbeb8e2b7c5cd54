import type { Job } from "./types";

/** What the page warns of, the most pressing first. */
export type Notice = { kind: "incomplete" | "failed" | "drillFailed"; job: Job };

/** The latest job of each kind, and the restore that has changed things and is not finished, whatever came after it. */
type Latest = { backup: Job | null; drill: Job | null; unfinished: Job | null };

/** noticesOf says what of these needs somebody. A job that was cancelled does not. */
export function noticesOf({ backup, drill, unfinished }: Latest): Notice[] {
  const notices: Notice[] = [];
  if (unfinished) notices.push({ kind: "incomplete", job: unfinished });
  if (backup && failed(backup)) notices.push({ kind: "failed", job: backup });
  if (drill && failed(drill)) notices.push({ kind: "drillFailed", job: drill });
  return notices;
}

function failed(job: Job): boolean {
  return job.status === "Failed" && job.outcome !== "cancelled";
}
