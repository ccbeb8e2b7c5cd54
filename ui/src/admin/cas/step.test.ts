import { describe, expect, it } from "vitest";
import { derOf } from "../../pem";
import { fileOf, pemOf } from "./files";
import type { CA } from "./queries";
import { nameOf, rootOf, shorterFrom, stepOf } from "./step";

const now = Date.parse("2027-03-01T12:00:00Z");

function ca(state: CA["state"], more: Partial<CA> = {}): CA {
  return {
    id: "0123456789abcdef",
    state,
    subject: "CN=Keyward CA",
    key_type: "ec-p256",
    not_before: "2026-03-01T00:00:00Z",
    not_after: "2036-03-01T00:00:00Z",
    parent: null,
    fingerprint: "aa",
    chain: [{ subject: "CN=Keyward CA", not_after: "2036-03-01T00:00:00Z", fingerprint: "aa", pem: "" }],
    csr: null,
    certificates_live: 0,
    crl_path: "/api/pki/crl",
    ca_path: "/api/pki/ca.cer",
    requested_at: null,
    activated_at: null,
    retired_at: null,
    last_ends_at: null,
    renew_from: null,
    ...more,
  };
}

describe("what a CA needs next", () => {
  const active = ca("active", { renew_from: "2034-12-01T00:00:00Z" });
  const due = ca("active", { renew_from: "2027-03-01T00:00:00Z" });
  it("is nothing until the active one should have a successor", () => {
    expect(stepOf(active, [active], now)).toBe("fine");
    expect(stepOf(active, [active, ca("requested")], now)).toBe("fine");
    expect(stepOf(due, [due], now)).toBe("renew");
    expect(shorterFrom(due)).toBe("2027-05-30T00:00:00.000Z");
  });
  it("is to go on with the successor where there is one", () => {
    for (const state of ["requested", "ready"] as const) expect(stepOf(due, [due, ca(state)], now)).toBe("awaited");
    expect(stepOf(due, [due, ca("retiring"), ca("ended")], now)).toBe("renew");
  });
  it("is urgent once the active one has expired", () => {
    const over = ca("active", { not_after: "2027-02-01T00:00:00Z", renew_from: "2026-02-01T00:00:00Z" });
    expect(stepOf(over, [over], now)).toBe("over");
    expect(stepOf(over, [over, ca("requested")], now)).toBe("awaited");
  });
  it("is to distribute a root that nobody can know yet", () => {
    const below = (fingerprint: string) => {
      const root = { subject: "CN=Root", not_after: "2046-03-01T00:00:00Z", fingerprint, pem: "" };
      return { chain: [...active.chain, root] };
    };
    const ready = ca("ready", below("bb"));
    expect(rootOf(ready)?.subject).toBe("CN=Root");
    expect(stepOf(ready, [active, ready], now)).toBe("distribute");
    expect(stepOf(ready, [active, ready, ca("ready", below("bb"))], now)).toBe("distribute");
    expect(stepOf(ready, [ca("active", below("bb")), ready], now)).toBe("known");
    expect(stepOf(ready, [active, ca("retiring", below("bb")), ready], now)).toBe("known");
  });
  it("follows from the state of all others", () => {
    expect(stepOf(ca("requested", { chain: [] }), [active], now)).toBe("send");
    expect(stepOf(ca("retiring"), [active], now)).toBe("retiring");
    expect(stepOf(ca("ended"), [active], now)).toBe("ended");
  });
});

describe("a CA's name", () => {
  it("is its common name, as people write it", () => {
    expect(nameOf("CN=Keyward CA 2,O=Example")).toBe("Keyward CA 2");
    expect(nameOf("O=Example\\, Inc.+CN=A\\, B\\+C,C=DE")).toBe("A, B+C");
    expect(nameOf("O=Example")).toBe("O=Example");
  });
  it("is a file's name without what file systems mind", () => {
    expect(fileOf("Keyward CA/2", "pem")).toBe("Keyward_CA_2.pem");
    expect(fileOf("Ü", "csr")).toBe("_.csr");
    expect(fileOf("", "csr")).toBe("ca.csr");
  });
});

describe("a certificate's file", () => {
  it("is read as PEM or DER", () => {
    const pem = "-----BEGIN CERTIFICATE-----\nMAMCAQA=\n-----END CERTIFICATE-----\n";
    expect(pemOf(new TextEncoder().encode(pem))).toBe(pem);
    expect(pemOf(derOf(pem))).toBe(pem);
    const long = Uint8Array.from({ length: 100 }, (_, i) => (i === 0 ? 0x30 : i));
    expect(derOf(pemOf(long))).toEqual(long);
    expect(
      pemOf(long)
        .split("\n")
        .map((line) => line.length),
    ).toEqual([27, 64, 64, 8, 25, 0]);
  });
});
