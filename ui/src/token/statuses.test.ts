import { expect, it } from "vitest";
import { statusesFor } from "./statuses";

const suspended = ["assigned", "active", "lost", "retired"] as const;

it("says of no token that is set up that it comes back as one that is not", () => {
  expect(statusesFor({ next_statuses: [...suspended], enrolled_at: "2026-11-01T08:00:00Z" })).toEqual([
    "active",
    "lost",
    "retired",
  ]);
});

it("has a token that is not set up come back as such", () => {
  expect(statusesFor({ next_statuses: ["assigned", "lost", "retired"], enrolled_at: null })).toContain("assigned");
});
