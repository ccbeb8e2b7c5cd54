import { describe, expect, it } from "vitest";
import { continuing, type Defaults, type Device, plan } from "./next";
import { type Card, type OnRecord, slotViews } from "./slots";

const day = 86_400_000;
const at = (days: number) => new Date(Date.now() + days * day).toISOString();

const device = (more: Partial<Device> = {}): Device => ({
  serial: "20260001",
  label: "",
  model: "",
  firmware_version: "",
  form_factor: "",
  status: "active",
  next_statuses: [],
  owner: { id: 1, username: "carol" },
  organization_id: 1,
  organization_name: "Acme",
  registered_at: at(-10),
  enrolled_at: at(-9),
  last_seen_at: null,
  secrets: { version: 3, rotation_pending: false, changed_at: at(-8) },
  certificates: [],
  ...more,
});
const card = (pin: number | null, puk: number | null, held?: string, of = "a1"): Card => ({
  serial: "20260001",
  version: "5.7.1",
  pin_retries: pin,
  puk_retries: puk,
  pin_retries_total: 3,
  puk_retries_total: 3,
  management_key_under_pin: false,
  management_key_algorithm: "AES192",
  slots: held
    ? [
        {
          slot: "9a",
          key_algorithm: "RSA2048",
          public_key_sha256: "a1",
          pin_policy: null,
          touch_policy: null,
          unreadable: false,
          certificate: {
            serial_number: held,
            subject: "CN=x",
            issuer: "CN=y",
            not_before: at(-1),
            not_after: at(1),
            public_key_sha256: of,
          },
        },
      ]
    : [],
});
const defaults = (is: boolean | null): Defaults => ({ pin_default: is, puk_default: is, management_key_default: is });
const held = (days: number): OnRecord => ({
  serial_number: "ab",
  slot: "9a",
  common_name: "carol",
  not_before: at(-100),
  not_after: at(days),
  installed_at: at(-100),
});
const first = (d: Device, c: Card, def: Defaults, records: OnRecord[] = [], mine = true) => {
  const p = plan(d, { card: c, defaults: def }, slotViews(records, c), mine);
  return p.primary ? `${p.primary.label}${p.primary.slot ? ` ${p.primary.slot}` : ""}` : `- ${p.remark}`;
};

describe("plan", () => {
  it("sets up what is new, and goes on with what was begun", () => {
    const blank = device({ enrolled_at: null, status: "assigned" });
    expect(first(blank, card(3, 3), defaults(true))).toBe("enroll");
    expect(first(blank, card(3, 3), { ...defaults(true), management_key_default: false })).toBe("continue_enroll");
    expect(first(blank, card(null, null), defaults(null))).toBe("enroll");
  });
  it("helps where the PIN is blocked", () => {
    expect(first(device(), card(0, 3), defaults(false))).toBe("unblock");
    expect(first(device(), card(1, 3), defaults(false))).toBe("unblock");
    expect(first(device(), card(0, 0), defaults(false))).toBe("reset");
  });
  it("notices a card that was reset, and a change that was begun", () => {
    expect(first(device(), card(3, 3), defaults(true))).toBe("enroll");
    const open = device({ secrets: { version: 3, rotation_pending: true, changed_at: at(-8) } });
    expect(first(open, card(3, 3), defaults(false))).toBe("continue_pin");
  });
  it("renews what runs out, and otherwise changes the PIN", () => {
    expect(first(device(), card(3, 3, "ab"), defaults(false), [held(9)])).toBe("renew 9a");
    expect(first(device(), card(3, 3, "ab"), defaults(false), [held(200)])).toBe("change_pin");
    expect(first(device(), card(3, 3), defaults(false))).toBe("certificate");
  });
  it("finishes a renewal that stopped after its key was made, before anything else about certificates", () => {
    const half = card(3, 3, "ab", "b2");
    expect(first(device(), half, defaults(false), [held(200)])).toBe("continue_renew 9a");
    expect(first(device(), half, defaults(false), [held(200)], false)).toBe("continue_renew 9a");
    const open = device({ secrets: { version: 3, rotation_pending: true, changed_at: at(-8) } });
    expect(first(open, half, defaults(false), [held(200)])).toBe("continue_pin");
    const p = plan(device(), { card: half, defaults: defaults(false) }, slotViews([held(200)], half), true);
    expect(p.remark).toBe("halfRenewed");
  });
  it("goes on in any slot where a certificate was not finished", () => {
    const waits: OnRecord = { ...held(200), serial_number: "cd", slot: "9c", installed_at: null };
    const c = card(3, 3, "ab");
    expect(first(device(), c, defaults(false), [held(200), waits])).toBe("continue_certificate 9c");
    expect(first(device(), c, defaults(false), [held(200), { ...waits, slot: "9a" }])).toBe("continue_certificate 9a");
    const key = { slot: "9e", key_algorithm: "RSA2048", public_key_sha256: "e1", pin_policy: null, touch_policy: null };
    const bare: Card = { ...c, slots: [...c.slots, key as Card["slots"][number]] };
    expect(first(device(), bare, defaults(false), [held(200)], false)).toBe("continue_certificate 9e");
    const p = plan(device(), { card: bare, defaults: defaults(false) }, slotViews([held(200), waits], bare), true);
    expect(continuing(p, "9e")).toMatchObject({ what: "certificate", slot: "9e" });
    expect(continuing(p, "9c")).toMatchObject({ what: "certificate", slot: "9c" });
    expect(continuing(p, "9a")).toBeUndefined();
    for (const tries of [0, 1]) {
      const few = { ...bare, pin_retries: tries };
      const q = plan(device(), { card: few, defaults: defaults(false) }, slotViews([held(200), waits], few), true);
      expect(q.primary?.label, "certificates need the PIN").toBe("unblock");
      expect(q.others.map((a) => a.label)).toEqual(["continue_certificate", "continue_certificate", "reset"]);
      expect(continuing(q, "9c"), "nothing begins that is sure to fail").toBeUndefined();
    }
  });
  it("offers no unblocking where the PUK is blocked", () => {
    const pending = device({ secrets: { version: 3, rotation_pending: true, changed_at: at(-8) } });
    const waits: OnRecord = { ...held(200), serial_number: "cd", slot: "9c", installed_at: null };
    const of = (d: Device, pin: number | null, def = false, mine = true) => {
      const c = card(pin, 0, "ab");
      return plan(d, { card: c, defaults: defaults(def) }, slotViews([held(200), waits], c), mine);
    };
    for (const d of [device(), pending]) {
      expect(of(d, 1)).toEqual({ others: [{ what: "reset", label: "reset" }], remark: "pinLowPukBlocked" });
      expect(of(d, 0).primary?.label).toBe("reset");
    }
    for (const p of [of(device(), 3), of(device(), 3, false, false), of(device(), 3, true), of(pending, 3)]) {
      expect([p.primary, ...p.others].some((a) => a?.what === "unblock")).toBe(false);
      expect([p.primary, ...p.others].some((a) => a?.what === "reset")).toBe(true);
    }
    const known = card(3, null, "ab"); // a PUK whose tries it does not tell
    const p = plan(device(), { card: known, defaults: defaults(false) }, slotViews([held(200)], known), true);
    expect(p.others.map((a) => a.label)).toContain("unblock");
  });
  it("goes on with a PIN that was to be unblocked, and with a reset", () => {
    const open = device({ secrets: { version: 3, rotation_pending: true, changed_at: at(-8) } });
    expect(first(open, card(0, 3), defaults(false))).toBe("continue_unblock");
    // The last try is never spent, so the PUK comes first there, too; the change that was begun stays in reach.
    const last = plan(open, { card: card(1, 3), defaults: defaults(false) }, slotViews([], card(1, 3)), true);
    expect([last.primary?.label, last.remark]).toEqual(["continue_unblock", "pinLowPending"]);
    expect(last.others.map((a) => a.label)).toEqual(["continue_pin", "reset"]);
    expect(continuing(last, "pin")?.what).toBe("unblock");
    const blank = device({ enrolled_at: null, status: "assigned" });
    const former = card(3, 3, "ab");
    const of = (owner: OnRecord["owner"], d = blank) => {
      const revoked: OnRecord = { ...held(200), status: "revoked", ...(owner !== undefined && { owner }) };
      return plan(d, { card: former, defaults: defaults(false) }, slotViews([revoked], former), true);
    };
    const p = of({ id: 1, username: "carol" });
    expect([p.primary?.label, p.others[0]?.label, p.remark]).toEqual(["continue_reset", "enroll", "halfReset"]);
    expect(continuing(p, "reset")?.what).toBe("reset");
    expect(continuing(p, "setup")?.what).toBe("setup");
    // Another's certificates tell that it changed hands: nothing was interrupted.
    for (const q of [of({ id: 2, username: "dave" }), of(null), of(undefined)]) {
      expect([q.primary?.label, q.others[0]?.label, q.remark]).toEqual(["enroll", "reset", "former"]);
      expect(continuing(q, "reset")).toBeUndefined();
    }
    // Nobody has it, so it can't be set up.
    const stock = of(null, { ...blank, owner: null });
    expect([stock.primary?.label, stock.others, stock.remark]).toEqual(["continue_reset", [], "former"]);
  });
  it("gives the tries back while the PIN still works, and notices a certificate that is gone", () => {
    const seen = { card: card(3, 0, "ab"), defaults: defaults(false) };
    const p = plan(device(), seen, slotViews([held(200)], seen.card), true);
    expect([p.primary?.label, p.remark]).toEqual(["change_pin", "pukBlocked"]);
    expect(p.others.map((a) => a.label)).toEqual(["certificate", "set_retries", "reset"]);
    const empty = { card: card(3, 3), defaults: defaults(false) };
    const q = plan(device(), empty, slotViews([held(200)], empty.card), true);
    expect([q.primary?.label, q.remark]).toEqual(["certificate", "missing"]);
    expect(q.others.map((a) => a.label)).toEqual(["change_pin", "unblock", "reset"]);
  });
  it("asks for an own PIN after a set-up that stopped before it", () => {
    const random = device({ secrets: { version: 3, rotation_pending: false, changed_at: at(-9.5) } });
    expect(first(random, card(3, 3, "ab"), defaults(false), [held(200)])).toBe("choose_pin");
  });
  it("offers a manager to take back what is out of use, and its owner nothing", () => {
    for (const status of ["suspended", "lost", "retired"] as const) {
      const of = (mine: boolean, owner = device().owner) =>
        plan(device({ status, owner }), { card: card(3, 3), defaults: defaults(false) }, [], mine);
      const { primary, others } = of(false);
      expect([primary?.label, others.map((a) => a.label)]).toEqual(["take_back", ["reset"]]);
      expect([of(true).primary, of(true).others]).toEqual([undefined, []]);
      expect(of(false, null).primary).toBeUndefined(); // nobody has it
    }
  });
  it("offers the help desk to unblock, but urges nothing on a healthy token", () => {
    const seen = { card: card(3, 3, "ab"), defaults: defaults(false) };
    const healthy = plan(device(), seen, slotViews([held(200)], seen.card), false);
    expect(healthy.primary).toBeUndefined();
    expect(healthy.others.map((a) => a.label)).toEqual(["unblock", "change_pin", "certificate", "take_back", "reset"]);
    const ending = plan(device(), seen, slotViews([held(9)], seen.card), false);
    expect([ending.primary?.label, ending.others[0]?.label]).toEqual(["renew", "unblock"]);
  });
  it("does nothing with a token that is suspended, lost or retired", () => {
    expect(first(device({ status: "lost" }), card(3, 3), defaults(false))).toBe("- lost");
  });
});
