import { expect, test } from "vitest";
import { ahead, months } from "./ahead";
import type { Certificate } from "./queries";

const now = Date.parse("2026-11-21T12:00:00Z");
const certificate = (over: Partial<Certificate>): Certificate => ({
  attestation: null,
  attested: false,
  common_name: "carol",
  hwkey_serial: "30260001",
  installed_at: "2026-01-01T00:00:00Z",
  issued_by: "carol",
  issuer: "CN=CA",
  key_algorithm: "rsa-2048",
  not_after: "2027-05-01T00:00:00Z",
  not_before: "2026-05-01T00:00:00Z",
  owner: { id: 7, username: "carol" },
  public_key_sha256: "",
  revocation_reason: null,
  revoked_at: null,
  sans: [],
  serial_number: "01",
  slot: "9a",
  status: "issued",
  subject: "CN=carol",
  ...over,
});

test("what ends together stands together, and what is over or far away does not stand", () => {
  const marks = ahead(
    [
      certificate({}),
      certificate({ not_after: "2027-05-01T06:00:00Z" }),
      certificate({ not_after: "2026-11-30T00:00:00Z" }),
      certificate({ status: "revoked" }),
      certificate({ not_after: "2026-11-20T00:00:00Z" }),
      certificate({ not_after: "2027-11-22T00:00:00Z" }),
    ],
    now,
  );
  expect(marks.map((m) => [m.certificates.length, m.soon])).toEqual([
    [1, true],
    [2, false],
  ]);
  expect(marks[1]?.place).toBeCloseTo(0.44, 1);
});

test("the line has its months", () => {
  const line = months(now);
  expect(line).toHaveLength(12);
  expect(line[0]?.place).toBeGreaterThan(0);
  expect(line.every((m, i) => i === 0 || m.place > (line[i - 1]?.place ?? 1))).toBe(true);
});
