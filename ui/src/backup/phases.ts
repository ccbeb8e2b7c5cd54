import type { Job, Kind } from "./types";

/** The phases of each kind of job, in their order. */
const phases = {
  backup: ["dump", "vault", "upload", "verify"],
  restore: ["download", "check", "database", "vault", "finish"],
  drill: ["download", "check", "database", "vault"],
} as const satisfies Record<Kind, readonly string[]>;

type Phase = (typeof phases)[Kind][number];
export type Step = { phase: Phase; how: "done" | "now" | "later" | "failed" | "left_out" };

/** active tells whether a job is not over. */
export function active(job: Pick<Job, "status">): boolean {
  return job.status === "Pending" || job.status === "Running";
}

/** leaves tells which phase a backup of one half goes without. */
function leaves(job: Pick<Job, "type">, phase: Phase): boolean {
  if (job.type === "database") return phase === "vault";
  return job.type === "vault" && (phase === "dump" || phase === "database");
}

/** steps says how far a job is: all phases are done when it is Completed, and it stopped in one when it Failed. */
export function steps(job: Pick<Job, "kind" | "type" | "status" | "phase">): Step[] {
  const all: readonly Phase[] = phases[job.kind];
  const index = job.status === "Completed" ? all.length : all.indexOf(job.phase as Phase);
  return all.map((phase, i) => {
    if (leaves(job, phase)) return { phase, how: "left_out" };
    if (i < index) return { phase, how: "done" };
    if (i > index) return { phase, how: "later" };
    return { phase, how: job.status === "Failed" ? "failed" : "now" };
  });
}

/**
 * touched tells whether a restore that failed has changed anything. unfinished is the one that the server knows to have
 * done so: secrets are held back meanwhile, also where another one failed since.
 */
export function touched(job: Pick<Job, "outcome">, unfinished: Job | null): boolean {
  return job.outcome === "vault_incomplete" || unfinished !== null;
}

export type State = Job["status"] | "Warnings" | "VaultIncomplete" | "Cancelled";

/** stateOf is a job's status, with its outcome where that says more. */
export function stateOf(job: Pick<Job, "status" | "outcome">): State {
  if (job.outcome === "warnings") return "Warnings";
  if (job.outcome === "vault_incomplete") return "VaultIncomplete";
  return job.outcome === "cancelled" ? "Cancelled" : job.status;
}

/** seconds a job took, up to now if it still runs; null: it has not begun. */
export function took(job: Pick<Job, "started_at" | "finished_at">, now = Date.now()): number | null {
  if (!job.started_at) return null;
  const end = job.finished_at ? Date.parse(job.finished_at) : now;
  return Math.max(0, end - Date.parse(job.started_at)) / 1000;
}

const slow = 15_000;
const quick = 1000;

/** lookAgain is after how many milliseconds the page asks for the job that runs: often while there is one. */
export function lookAgain(running: boolean): number {
  return running ? quick : slow;
}
