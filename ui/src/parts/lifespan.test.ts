import { describe, expect, it } from "vitest";
import { lifespan } from "./lifespan";

const at = (text: string) => Date.parse(text);

describe("lifespan", () => {
  const from = "2026-01-01T00:00:00Z";
  const to = "2027-01-01T00:00:00Z";

  it("counts what is left in whole days", () => {
    const half = lifespan(from, to, "issued", at("2026-07-02T12:00:00Z"));
    expect(half.standing).toBe("valid");
    expect(half.left).toBeCloseTo(0.5, 2);
    // A full year ahead is a full bar.
    expect(lifespan(from, to, "issued", at("2026-01-02T00:00:00Z")).left).toBeGreaterThan(0.99);
    expect(lifespan(from, to, "issued", at(to)).left).toBe(0);
    expect(half.days).toBe(182);
  });
  it("says that the last thirty days are few", () => {
    expect(lifespan(from, to, "issued", at("2026-12-01T00:00:00Z")).standing).toBe("valid");
    expect(lifespan(from, to, "issued", at("2026-12-02T00:00:00Z")).standing).toBe("soon");
  });
  it("takes the last third of a short life", () => {
    const short = (now: string) => lifespan(from, "2026-01-04T00:00:00Z", "issued", at(now)).standing;
    expect(short("2026-01-02T12:00:00Z")).toBe("valid");
    expect(short("2026-01-03T01:00:00Z")).toBe("soon");
  });
  it("knows the end, and what is over before it", () => {
    expect(lifespan(from, to, "issued", at(to)).standing).toBe("expired");
    expect(lifespan(from, to, "expired", at(from)).standing).toBe("expired");
    expect(lifespan(from, to, "revoked", at("2026-02-01T00:00:00Z")).standing).toBe("revoked");
    expect(lifespan(from, to, "issued", at("2025-12-31T00:00:00Z")).standing).toBe("future");
  });
});
