import { describe, expect, it, vi } from "vitest";
import { merge, onlyOne, type Part, type Report } from "./merge";
import { readParameters, reportPath, toQuery } from "./parameters";
import { releases } from "./places";
import { weekFormat } from "./weeks";

const day = 86_400_000;
const now = new Date(2026, 10, 18, 12).getTime(); // a Wednesday
const ending = (days: number, serial_number = "0a") => ({
  serial_number,
  hwkey_serial: "10001",
  common_name: "mia",
  not_after: new Date(now + days * day).toISOString(),
});

function part(some: Partial<Part> = {}): Part {
  return {
    organization_id: 1,
    organization_name: "Acme",
    tokens_total: 2,
    tokens_by_status: { in_stock: 1, assigned: 1, active: 0, suspended: 0, lost: 0, retired: 0 },
    tokens_by_firmware: [{ firmware_version: "5.7.1", count: 2 }],
    secrets_older_than_limit: { count: 0, tokens: [] },
    certificates_by_attestation: { attested: 0, not_attested: 0, keys: [] },
    certificates_expiring: { count: 0, certificates: [] },
    certificates_expired: { count: 0, certificates: [] },
    certificates_expiring_by_week: [],
    users_without_token: { count: 0, users: [] },
    releases: { total: 1, by_reason: [{ reason: "help desk", count: 1 }] },
    ...some,
  };
}

function report(organizations: Part[], days = 30): Report {
  return {
    generated_at: new Date(now).toISOString(),
    parameters: {
      organization_id: null,
      secrets_older_than_days: 365,
      expiring_within_days: days,
      from: new Date(now - 30 * day).toISOString(),
      to: new Date(now).toISOString(),
    },
    organizations,
  };
}

describe("merge", () => {
  it("adds up and orders by number", () => {
    const other = part({
      organization_name: "Globex",
      tokens_total: 3,
      tokens_by_firmware: [
        { firmware_version: "5.4.3", count: 3 },
        { firmware_version: "5.7.1", count: 2 },
      ],
      certificates_expiring: { count: 1, certificates: [ending(1, "0b")] },
    });
    const proof = (count: number, firmware_version = "5.4.3") =>
      ({ firmware_version, pin_policy: "once", touch_policy: "never", count }) as const;
    const proofs = { attested: 5, not_attested: 2, keys: [proof(3), proof(2, "5.7.1")] };
    other.certificates_by_attestation = { attested: 2, not_attested: 1, keys: [proof(2, "5.7.1")] };
    other.certificates_expired = { count: 101, certificates: [ending(-1, "0c")] };
    const one = part({
      certificates_by_attestation: proofs,
      certificates_expired: { count: 1, certificates: [ending(-9, "0d")] },
      certificates_expiring: { count: 1, certificates: [ending(2)] },
    });
    const whole = merge(report([one, other]));
    expect(whole.proofs).toEqual({ attested: 7, notAttested: 3, keys: [proof(4, "5.7.1"), proof(3)] });
    expect(whole.tokens).toBe(5);
    expect(whole.byStatus.find((s) => s.status === "in_stock")?.count).toBe(2);
    expect(whole.byFirmware).toEqual([
      { name: "5.7.1", count: 4 },
      { name: "5.4.3", count: 3 },
    ]);
    expect(whole.byReason).toEqual([{ name: "help desk", count: 2 }]);
    expect(whole.expired.count).toBe(102);
    expect(whole.expired.items.map((i) => i.serial_number)).toEqual(["0d", "0c"]);
    expect(whole.expiring.items.map((i) => [i.serial_number, i.organization])).toEqual([
      ["0b", "Globex"],
      ["0a", "Acme"],
    ]);
  });
  it("adds up weeks, and tells what ends after them", () => {
    const weeks = (...counts: [number, number]) => [
      { week_start: "2026-11-16", count: counts[0] },
      { week_start: "2026-11-23", count: counts[1] },
    ];
    const some = part({ certificates_expiring_by_week: weeks(60_000, 2) });
    const other = part({ certificates_expiring_by_week: weeks(40_000, 0) });
    const whole = merge(report([some, other]));
    expect(whole.weeks.map((w) => [w.start.getTime(), w.count])).toEqual([
      [Date.UTC(2026, 10, 16), 100_000],
      [Date.UTC(2026, 10, 23), 2],
    ]);
    expect(whole.later).toBe(0);
    const ends = { count: 60_005, certificates: [] };
    expect(merge(report([{ ...some, certificates_expiring: ends }], 400)).later).toBe(3);
  });
  it("names a week by its Monday, wherever the person is", () => {
    vi.stubEnv("TZ", "America/Los_Angeles");
    expect(weekFormat("en").format(new Date("2026-11-16T00:00:00Z"))).toBe("Nov 16");
    vi.unstubAllEnvs();
  });
});

describe("onlyOne", () => {
  it("is the organization of a report, and nobody's tokens are no organization", () => {
    const nobody = part({ organization_id: null, organization_name: "" });
    expect(onlyOne(report([part()]))?.organization_name).toBe("Acme");
    expect(onlyOne(report([part(), nobody]))).toBeNull();
    expect(onlyOne(report([nobody]))).toBeNull();
  });
});

describe("parameters", () => {
  it("are read narrowly, and defaults stay out of the address", () => {
    expect(readParameters({ organization: 2, older: "90", within: 30, from: "2026-11-01", to: "soon" })).toEqual({
      organization: 2,
      older: 90,
      from: "2026-11-01",
    });
    expect(readParameters({ older: 3651, within: 0, organization: "x", from: "2026-13-99x" })).toEqual({});
  });
  it("make the last day part of the period", () => {
    expect(toQuery({ from: "2026-11-01", to: "2026-11-30" })).toEqual({
      from: new Date(2026, 10, 1).toISOString(),
      to: new Date(2026, 11, 1).toISOString(),
    });
  });
  it("name the file's address", () => {
    expect(reportPath({ organization: 2, older: 90 }, "csv")).toBe(
      "/api/reports/compliance?format=csv&organization_id=2&secrets_older_than_days=90",
    );
  });
});

it("the releases that a report counts are those of its period, which goes on unless it had ended", () => {
  const period = { from: "2026-01-01T00:00:00Z", to: "2026-02-01T00:00:00Z" };
  expect(releases(period, "2026-02-01T00:00:00Z", 3).search).toMatchObject({ from: period.from, to: undefined });
  expect(releases(period, "2026-03-01T00:00:00Z", 3).search).toMatchObject({ to: period.to, organization: 3 });
});
