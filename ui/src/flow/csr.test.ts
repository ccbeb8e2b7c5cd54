import { createHash, generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import { keyOf } from "./csr";
import { element, pem, request, spki } from "./model/der";
import { random } from "./model/random";

test("the public key of a request is found behind names of any length", async () => {
  for (const length of [0, 1, 100, 127, 128, 255, 256, 5000]) {
    const csr = request(spki(length), "x".repeat(length));
    expect(await keyOf(csr)).toBe(createHash("sha256").update(spki(length)).digest("hex"));
  }
});

test("a real SubjectPublicKeyInfo is taken as it stands", async () => {
  const der = generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey.export({ type: "spki", format: "der" });
  expect(await keyOf(request(der, "alice"))).toBe(createHash("sha256").update(der).digest("hex"));
});

test("what is no request gives nothing, and never throws", async () => {
  const good = Buffer.from(request(spki(1), "alice").replace(/-----.*-----|\s/g, ""), "base64");
  const bad = ["", "no PEM", "-----BEGIN X-----\n-----END X-----", "-----BEGIN X-----\nAAA\n-----END X-----"];
  for (const text of bad) expect(await keyOf(text)).toBe("");
  // Cut anywhere, it is none.
  for (let n = 0; n < good.length; n++) expect(await keyOf(pem("X", good.subarray(0, n)))).toBe("");
  const lengths = [0x80, 0x81, 0x82, 0x83, 0x84, 0xff];
  for (const tail of lengths) expect(await keyOf(pem("X", Uint8Array.of(0x30, tail, 0xff, 0xff, 0xff)))).toBe("");
  expect(await keyOf(pem("X", element(0x30, element(0x30, element(0x02), element(0x31)))))).toBe("");
});

test("any damage is survived", { timeout: 60_000 }, async () => {
  const good = Buffer.from(request(spki(1), "alice").replace(/-----.*-----|\s/g, ""), "base64");
  const next = random(7);
  for (let i = 0; i < 3000; i++) {
    const der = Uint8Array.from(good);
    for (let n = 1 + Math.floor(next() * 4); n > 0; n--) {
      der[Math.floor(next() * (next() < 0.7 ? 40 : der.length))] = Math.floor(next() * 256);
    }
    expect(await keyOf(pem("X", der))).toMatch(/^([0-9a-f]{64})?$/);
  }
});
