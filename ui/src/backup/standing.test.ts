import { expect, test } from "vitest";
import { noticesOf } from "./standing";
import type { Job } from "./types";

const job = (more: Partial<Job>) => ({ job_id: 1, status: "Completed", outcome: "ok", ...more }) as Job;
const failed = job({ status: "Failed", outcome: null });
const none = { backup: null, drill: null, restore: null };
const kinds = (latest: Parameters<typeof noticesOf>[0]) => noticesOf(latest).map((n) => n.kind);

test("what is well needs nobody", () => {
  expect(kinds(none)).toEqual([]);
  expect(kinds({ backup: job({}), drill: job({ outcome: "warnings" }), restore: job({}) })).toEqual([]);
});

test("what failed is named, a restore that is not finished first", () => {
  const incomplete = job({ status: "Failed", outcome: "vault_incomplete" });
  expect(kinds({ backup: failed, drill: failed, restore: incomplete })).toEqual([
    "incomplete",
    "failed",
    "drillFailed",
  ]);
});

test("a restore that failed changed nothing, and a cancelled job was meant to end", () => {
  expect(kinds({ ...none, restore: failed })).toEqual([]);
  const cancelled = job({ status: "Failed", outcome: "cancelled" });
  expect(kinds({ ...none, backup: cancelled, drill: cancelled })).toEqual([]);
});
