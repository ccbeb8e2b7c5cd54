import { expect, test } from "vitest";
import type { Schema } from "../api/client";
import { together, weekly } from "./fleet";

const organization = (over: Partial<Schema<"OrganizationReport">>): Schema<"OrganizationReport"> => ({
  certificates_expiring: { count: 1, certificates: [] },
  organization_id: 1,
  organization_name: "Acme",
  releases: { total: 2, by_reason: [{ reason: "help desk", count: 2 }] },
  secrets_older_than_limit: { count: 1, tokens: [] },
  tokens_by_firmware: [{ firmware_version: "5.4.3", count: 3 }],
  tokens_by_status: { in_stock: 1, assigned: 1, active: 1, suspended: 0, lost: 0, retired: 0 },
  tokens_total: 3,
  users_without_token: { count: 1, users: [{ id: 7, username: "mia", email: "mia@acme.example" }] },
  ...over,
});

test("organizations are added up", () => {
  const fleet = together({
    generated_at: "",
    parameters: { expiring_within_days: 30, from: "", organization_id: null, secrets_older_than_days: 365, to: "" },
    organizations: [
      organization({}),
      organization({
        tokens_by_firmware: [
          { firmware_version: "5.7.1", count: 9 },
          { firmware_version: "5.4.3", count: 1 },
        ],
      }),
    ],
  });
  expect([fleet.total, fleet.expiring, fleet.old, fleet.tokenless.count, fleet.releases.total]).toEqual([
    6, 2, 2, 2, 4,
  ]);
  expect(fleet.firmware).toEqual([
    { key: "5.7.1", count: 9 },
    { key: "5.4.3", count: 4 },
  ]);
  expect(fleet.releases.byReason).toEqual([{ key: "help desk", count: 4 }]);
  expect(fleet.byStatus.assigned).toBe(2);
});

test("weeks begin now", () => {
  const now = Date.parse("2026-11-21T12:00:00Z");
  expect(
    weekly(
      [
        "2026-11-21T12:00:00Z",
        "2026-11-28T11:59:59Z",
        "2026-11-28T12:00:00Z",
        "2026-11-20T00:00:00Z",
        "2030-01-01T00:00:00Z",
      ],
      3,
      now,
    ),
  ).toEqual([2, 1, 0]);
});
