import { expect, test } from "vitest";
import { canRevoke, fateOf, type Unrecorded } from "./unrecorded";

const one = (
  outcome: Unrecorded["outcome"],
  revoked_at: string | null = null,
  serial_number: string | null = "4711",
) => ({ outcome, revoked_at, serial_number });

test("what somebody revoked since is revoked, whatever became of it before", () => {
  expect(fateOf(one("lost"))).toBe("lost");
  expect(fateOf(one("lost", "2026-03-01T12:00:00Z"))).toBe("revoked");
  expect(fateOf(one("not_signed"))).toBe("not_signed");
});

test("what may stand can be revoked, where its serial number is known", () => {
  expect(canRevoke(one("lost"))).toBe(true);
  expect(canRevoke(one("open"))).toBe(true);
  expect(canRevoke(one("open", null, null))).toBe(false);
  expect(canRevoke(one("lost", "2026-03-01T12:00:00Z"))).toBe(false);
  expect(canRevoke(one("discarded"))).toBe(false);
  expect(canRevoke(one("not_signed"))).toBe(false);
});
