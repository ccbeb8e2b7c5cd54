import { describe, expect, it } from "vitest";
import { type Card, firstFree, nameOf, type OnRecord, slotViews } from "./slots";

const day = 86_400_000;
const at = (days: number) => new Date(Date.now() + days * day).toISOString();
const record = (slot: string, more: Partial<OnRecord> = {}): OnRecord => ({
  serial_number: "ab12",
  slot,
  common_name: "carol",
  not_before: at(-100),
  not_after: at(200),
  installed_at: at(-100),
  ...more,
});
const card = (
  slot: "9a" | "9c" | "9d" | "9e",
  serial: string | null,
  key: string | null = "RSA2048",
  of = "a1",
): Card => ({
  serial: "20260001",
  version: "5.7.1",
  pin_retries: 3,
  puk_retries: 3,
  pin_retries_total: 3,
  puk_retries_total: 3,
  management_key_under_pin: false,
  management_key_algorithm: "AES192",
  slots: [
    {
      slot,
      key_algorithm: key,
      public_key_sha256: key && "a1",
      pin_policy: "once",
      touch_policy: "never",
      unreadable: false,
      certificate: serial
        ? {
            serial_number: serial,
            subject: "CN=carol",
            issuer: "CN=x",
            not_before: at(-1),
            not_after: at(9),
            public_key_sha256: of,
          }
        : (null as never),
    },
  ],
});
const light = (records: OnRecord[], c?: Card) => slotViews(records, c).map((v) => v.light);

describe("slotViews", () => {
  it("lights what is on record while the token is away", () => {
    expect(light([record("9a"), record("9d", { not_after: at(12) })])).toEqual(["valid", "empty", "soon", "empty"]);
    expect(light([record("9c", { installed_at: null })])[1]).toBe("unconfirmed");
  });
  it("believes the card where it is plugged in", () => {
    expect(light([record("9a")], card("9a", "ab12"))[0]).toBe("valid");
    expect(light([record("9a")], card("9a", "ffff"))[0]).toBe("foreign");
    expect(light([record("9a")], card("9a", null))[0]).toBe("unconfirmed");
    expect(light([], card("9a", null))[0]).toBe("key");
    expect(light([], card("9a", null, null))[0]).toBe("empty");
    expect(light([record("9a", { status: "revoked" })], card("9a", "ab12"))[0]).toBe("revoked");
  });
  it("notices a certificate of ours beside another key", () => {
    const other = card("9a", "ab12", "RSA2048", "b2");
    expect(light([record("9a")], other)[0]).toBe("unfinished");
    expect(light([record("9a", { status: "revoked" })], other)[0]).toBe("unfinished");
    expect(slotViews([record("9a")], other)[0]).toMatchObject({ recorded: true, onCard: true });
    expect(light([], other)[0]).toBe("foreign");
  });
  it("shows what is no certificate as foreign, and not as a free slot", () => {
    const junk = card("9a", null, null);
    for (const s of junk.slots) s.unreadable = s.slot === "9a";
    expect(slotViews([record("9a")], junk)[0]).toMatchObject({ light: "foreign", onCard: true, missing: true });
    expect(slotViews([], junk)[0]?.certificate).toBeUndefined();
    expect(firstFree(slotViews([], junk))).toBe("9c");
  });
  it("takes a key that the card does not tell for the certificate's", () => {
    const silent = card("9a", "ab12");
    for (const s of silent.slots) s.public_key_sha256 = null;
    expect(light([record("9a")], silent)[0]).toBe("valid");
  });
  it("prefers the certificate that was seen on the card", () => {
    const next = record("9a", { serial_number: "cd34", installed_at: null });
    expect(slotViews([next, record("9a")])[0]?.certificate?.serialNumber).toBe("ab12");
  });
});

describe("firstFree", () => {
  const first = (records: OnRecord[], c: Card) => firstFree(slotViews(records, c));
  it("begins with the slot whose certificate is gone, or with an empty one", () => {
    const gone = card("9c", null, null);
    expect(first([record("9c")], gone)).toBe("9c");
    expect(first([], gone)).toBe("9a");
    expect(first([record("9a")], card("9a", "ab12"))).toBe("9c");
    const full = ["9a", "9c", "9d", "9e"].map((slot) => record(slot));
    expect(firstFree(slotViews(full))).toBe("9a");
  });
});

describe("nameOf", () => {
  it("finds the common name", () => {
    expect(nameOf("CN=carol,O=Acme")).toBe("carol");
    expect(nameOf("O=Acme,CN=a\\,b")).toBe("a,b");
    expect(nameOf("O=Acme")).toBe("O=Acme");
  });
});
