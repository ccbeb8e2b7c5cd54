import { describe, expect, it } from "vitest";
import { expiry, isoDay } from "./expiry";
import { keyState } from "./state";

const now = new Date(2026, 4, 4, 12);

describe("expiry", () => {
  it("counts days from now", () => {
    expect(expiry("30", "", now)?.getTime()).toBe(now.getTime() + 30 * 86_400_000);
  });
  it("takes the end of a chosen day", () => {
    expect(expiry("date", "2026-05-04", now)).toEqual(new Date(2026, 4, 4, 23, 59, 59));
  });
  it("refuses yesterday, a day too far and what is no day", () => {
    for (const day of ["2026-05-03", "2028-01-01", "2026-02-31", "", "x"]) expect(expiry("date", day, now)).toBeNull();
  });
  it("writes days as a date field does", () => {
    expect(isoDay(new Date(2026, 0, 9, 23))).toBe("2026-01-09");
  });
});

describe("keyState", () => {
  const key = (days: number, revoked = false) => ({
    expires_at: new Date(now.getTime() + days * 86_400_000).toISOString(),
    revoked_at: revoked ? now.toISOString() : null,
  });
  it("tells the four apart", () => {
    expect(keyState(key(60), now.getTime())).toBe("active");
    expect(keyState(key(3), now.getTime())).toBe("expiring");
    expect(keyState(key(-1), now.getTime())).toBe("expired");
    expect(keyState(key(-1, true), now.getTime())).toBe("revoked");
  });
});
