import { expect, test } from "vitest";
import { noticesOf } from "./standing";
import type { Job } from "./types";

const job = (more: Partial<Job>) => ({ job_id: 1, status: "Completed", outcome: "ok", ...more }) as Job;
const failed = job({ status: "Failed", outcome: null });
const none = { backup: null, drill: null, unfinished: null };
const kinds = (latest: Parameters<typeof noticesOf>[0]) => noticesOf(latest).map((n) => n.kind);

test("what is well needs nobody", () => {
  expect(kinds(none)).toEqual([]);
  expect(kinds({ backup: job({}), drill: job({ outcome: "warnings" }), unfinished: null })).toEqual([]);
});

test("what failed is named, a restore that is not finished first", () => {
  const incomplete = job({ status: "Failed", outcome: "vault_incomplete" });
  expect(kinds({ backup: failed, drill: failed, unfinished: incomplete })).toEqual([
    "incomplete",
    "failed",
    "drillFailed",
  ]);
});

test("a restore that is not finished is one however its job ended, and whatever came after it", () => {
  const cancelled = job({ status: "Failed", outcome: "cancelled" });
  expect([failed, cancelled].flatMap((unfinished) => kinds({ ...none, unfinished }))).toEqual([
    "incomplete",
    "incomplete",
  ]);
});

test("a cancelled job was meant to end", () => {
  const cancelled = job({ status: "Failed", outcome: "cancelled" });
  expect(kinds({ ...none, backup: cancelled, drill: cancelled })).toEqual([]);
});
