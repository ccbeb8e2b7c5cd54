import { expect, test } from "vitest";
import { active, lookAgain, stateOf, steps, took, touched } from "./phases";
import type { Job } from "./types";

const job = (more: Partial<Job>) => ({
  kind: "backup" as const,
  type: "full" as const,
  status: "Running" as const,
  phase: "upload",
  outcome: null,
  ...more,
});
const said = (j: Parameters<typeof steps>[0]) => steps(j).map(({ phase, how }) => `${phase} ${how}`);

test("a job that runs has done what comes before its phase", () => {
  expect(said(job({}))).toEqual(["dump done", "vault done", "upload now", "verify later"]);
  expect(said(job({ kind: "restore", phase: "check" }))).toEqual([
    "download done",
    "check now",
    "database later",
    "vault later",
    "finish later",
  ]);
});

test("a job that waits has done nothing, one that is complete everything", () => {
  expect(said(job({ status: "Pending", phase: "" }))).toEqual([
    "dump later",
    "vault later",
    "upload later",
    "verify later",
  ]);
  expect(said(job({ kind: "drill", status: "Completed", phase: "vault" })).every((s) => s.endsWith("done"))).toBe(true);
});

test("a job that failed shows where", () => {
  expect(said(job({ status: "Failed" }))).toEqual(["dump done", "vault done", "upload failed", "verify later"]);
});

test("a phase of a later version is none of these steps", () => {
  expect(said(job({ phase: "moons" })).every((s) => s.endsWith("later"))).toBe(true);
});

test("a backup of one half leaves the other out", () => {
  expect(said(job({ type: "database" }))[1]).toBe("vault left_out");
  expect(said(job({ type: "vault" }))[0]).toBe("dump left_out");
  expect(said(job({ kind: "restore", type: "vault", phase: "vault" }))[2]).toBe("database left_out");
});

test("whether a restore that failed has changed anything: the server says so, whichever its phase", () => {
  for (const phase of ["download", "check", "database", "vault", "finish"]) {
    const restore = (outcome: Job["outcome"]) => job({ kind: "restore", status: "Failed", phase, outcome });
    expect(touched(restore(null), null)).toBe(false);
    expect(touched(restore("cancelled"), null)).toBe(false);
    expect(touched(restore("vault_incomplete"), null)).toBe(true);
    expect(touched(restore(null), { job_id: 1 } as Job)).toBe(true);
  }
});

test("a job's state is its status, and its outcome where that says more", () => {
  expect(stateOf(job({}))).toBe("Running");
  expect(stateOf(job({ status: "Completed", outcome: "ok" }))).toBe("Completed");
  expect(stateOf(job({ status: "Completed", outcome: "warnings" }))).toBe("Warnings");
  expect(stateOf(job({ status: "Failed" }))).toBe("Failed");
  expect(stateOf(job({ status: "Failed", outcome: "cancelled" }))).toBe("Cancelled");
  expect(stateOf(job({ status: "Failed", outcome: "vault_incomplete" }))).toBe("VaultIncomplete");
});

test("what is active is looked at often", () => {
  expect((["Pending", "Running"] as const).every((status) => active({ status }))).toBe(true);
  expect((["Completed", "Failed"] as const).some((status) => active({ status }))).toBe(false);
  expect(lookAgain(true)).toBeLessThan(lookAgain(false));
});

test("how long it took, up to now while it runs", () => {
  const began = "2026-11-23T02:00:00Z";
  expect(took({ started_at: null, finished_at: null })).toBeNull();
  expect(took({ started_at: began, finished_at: "2026-11-23T02:01:30Z" })).toBe(90);
  expect(took({ started_at: began, finished_at: null }, Date.parse("2026-11-23T02:00:05Z"))).toBe(5);
  expect(took({ started_at: began, finished_at: null }, 0)).toBe(0); // the clocks differ
});
