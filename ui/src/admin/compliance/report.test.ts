import { describe, expect, it } from "vitest";
import { expiries, unitFor } from "./buckets";
import { merge, type Part, type Report } from "./merge";
import { readParameters, reportPath, toQuery } from "./parameters";

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
    certificates_expiring: { count: 0, certificates: [] },
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
    const whole = merge(report([part({ certificates_expiring: { count: 1, certificates: [ending(2)] } }), other]));
    expect(whole.tokens).toBe(5);
    expect(whole.byStatus.find((s) => s.status === "in_stock")?.count).toBe(2);
    expect(whole.byFirmware).toEqual([
      { name: "5.7.1", count: 4 },
      { name: "5.4.3", count: 3 },
    ]);
    expect(whole.byReason).toEqual([{ name: "help desk", count: 2 }]);
    expect(whole.expiring.items.map((i) => [i.serial_number, i.organization])).toEqual([
      ["0b", "Globex"],
      ["0a", "Acme"],
    ]);
    expect(whole.expiringKnownUntil).toBeNull();
  });
  it("knows only as far as the shortest list that was cut", () => {
    const cut = part({ certificates_expiring: { count: 9, certificates: [ending(1), ending(8)] } });
    const shorter = part({ certificates_expiring: { count: 9, certificates: [ending(3)] } });
    expect(merge(report([cut, shorter])).expiringKnownUntil).toBe(ending(3).not_after);
  });
});

describe("expiries", () => {
  it("are weeks from Monday, empty ones too", () => {
    const r = report([part({ certificates_expiring: { count: 3, certificates: [ending(1), ending(2), ending(15)] } })]);
    const { unit, bars, later } = expiries(r, null);
    expect(unit).toBe("week");
    expect(bars.map((b) => b.count)).toEqual([2, 0, 1, 0, 0]);
    expect(bars[0]?.start).toEqual(new Date(2026, 10, 16));
    expect(later).toBe(0);
  });
  it("stop where the lists were cut, and count the rest", () => {
    const r = report([part({ certificates_expiring: { count: 500, certificates: [ending(1), ending(8)] } })]);
    const { bars, later } = expiries(r, ending(8).not_after);
    expect(bars.map((b) => b.count)).toEqual([1]);
    expect(later).toBe(499);
  });
  it("never have too many bars", () => {
    for (const days of [1, 14, 15, 210, 211, 930, 931, 3650]) {
      const { bars } = expiries(report([part()], days), null);
      expect(bars.length).toBeGreaterThan(0);
      expect(bars.length).toBeLessThanOrEqual(33);
    }
    expect(unitFor(30)).toBe("week");
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
