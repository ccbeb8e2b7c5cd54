import type { Job } from "./types";

/** failed tells whether the latest backup needs somebody. One that was cancelled does not. */
export function failed(job: Pick<Job, "status" | "outcome">): boolean {
  return job.status === "Failed" && job.outcome !== "cancelled";
}
