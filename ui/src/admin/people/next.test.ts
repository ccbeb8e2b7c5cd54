import { describe, expect, it } from "vitest";
import type { Schema } from "../../api/client";
import { duties } from "../../overview/mine";
import { nextOf } from "./next";

const now = Date.parse("2026-11-29T12:00:00Z");
const hours = (n: number) => new Date(now + n * 3_600_000).toISOString();
const active = { is_active: true, locked_until: null, waiting: false };
const token = (more: Partial<Schema<"HWKey">> = {}) =>
  ({
    serial: "30260001",
    status: "active",
    enrolled_at: hours(-500),
    secrets: { rotation_pending: false, changed_at: hours(-400), version: 2 },
    certificates: [
      {
        serial_number: "01",
        slot: "9a",
        status: "issued",
        not_before: hours(-500),
        not_after: hours(8000),
        installed_at: hours(-500),
      },
    ],
    ...more,
  }) as Schema<"HWKey">;
const facts = { user: active, tokens: [token()], certificates: [], duties: [], invited: null };

describe("nextOf", () => {
  it("ends what is left of somebody who left, before anything else", () => {
    const user = { is_active: false, locked_until: hours(1), waiting: true };
    const certificates = [{ not_after: hours(9) }];
    expect(nextOf({ ...facts, user, certificates }, now)).toEqual({
      what: "leave",
      tokens: 1,
      certificates: 1,
      out: [],
    });
    expect(nextOf({ ...facts, user, tokens: [token({ status: "suspended" })] }, now)).toEqual({
      what: "takeBack",
      out: ["30260001"],
    });
    expect(nextOf({ ...facts, user, tokens: [token({ status: "lost" })] }, now)).toEqual({ what: "disabled" });
  });
  it("unlocks while the lock lasts", () => {
    const locked = (at: string) => nextOf({ ...facts, user: { ...active, locked_until: at } }, now);
    expect(locked(hours(1))).toEqual({ what: "unlock", until: hours(1) });
    expect(locked(hours(-1)).what).toBe("nothing");
  });
  it("invites whoever never was, or whose link has run out", () => {
    const user = { ...active, waiting: true };
    expect(nextOf({ ...facts, user }, now)).toEqual({ what: "invite", invited: null });
    expect(nextOf({ ...facts, user, invited: hours(-25) }, now)).toEqual({ what: "invite", invited: hours(-25) });
    expect(nextOf({ ...facts, user, invited: hours(-2) }, now)).toEqual({ what: "invited", at: hours(-2) });
  });
  it("proposes a token to whoever has none that is of use", () => {
    expect(nextOf({ ...facts, tokens: [] }, now)).toEqual({ what: "assign" });
    expect(nextOf({ ...facts, tokens: [token({ status: "lost" })] }, now)).toEqual({ what: "assign" });
    expect(nextOf({ ...facts, user: { ...active, waiting: true }, tokens: [], invited: hours(-2) }, now).what).toBe(
      "assign",
    );
  });
  it("leads to what is most pressing about a token", () => {
    const unset = token({ serial: "30260002", enrolled_at: null, certificates: [] });
    const due = duties([token({ certificates: [] }), unset], [], new Map(), now);
    expect(nextOf({ ...facts, duties: due }, now)).toMatchObject({
      what: "token",
      duty: { kind: "setUp", token: { serial: "30260002" } },
    });
  });
  it("says until when all is well", () => {
    const certificates = [{ not_after: hours(900) }, { not_after: hours(800) }];
    expect(nextOf({ ...facts, certificates }, now)).toEqual({ what: "nothing", until: hours(800) });
  });
});
