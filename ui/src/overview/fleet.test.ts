import { expect, test } from "vitest";
import type { Schema } from "../api/client";
import { together } from "./fleet";

const organization = (over: Partial<Schema<"OrganizationReport">>): Schema<"OrganizationReport"> => ({
  certificates_by_attestation: { attested: 0, not_attested: 0, keys: [] },
  certificates_expiring: { count: 1, certificates: [] },
  certificates_expired: { count: 2, certificates: [] },
  certificates_expiring_by_week: [
    { week_start: "2026-11-16", count: 1 },
    { week_start: "2026-11-23", count: 2 },
  ],
  organization_id: 1,
  organization_name: "Acme",
  releases: { total: 2, by_reason: [{ reason: "help desk", count: 2 }] },
  secrets_older_than_limit: { count: 1, tokens: [] },
  tokens_by_firmware: [{ firmware_version: "5.4.3", count: 3 }],
  tokens_by_status: { in_stock: 1, assigned: 1, active: 1, suspended: 0, lost: 0, retired: 0 },
  tokens_total: 3,
  users_without_token: { count: 1, users: [{ id: 7, username: "mia", name: "", email: "mia@acme.example" }] },
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
  expect(fleet.weeks.map((w) => [w.start.toISOString(), w.count])).toEqual([
    ["2026-11-16T00:00:00.000Z", 2],
    ["2026-11-23T00:00:00.000Z", 4],
  ]);
});
