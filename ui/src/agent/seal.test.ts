import { constants, createHash, generateKeyPairSync, type KeyObject, privateDecrypt } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { fingerprint, seal } from "./seal";

let publicKey: string;
let privateKey: KeyObject;
const pemOf = (key: KeyObject) => key.export({ type: "spki", format: "pem" }).toString();

beforeAll(() => {
  const pair = generateKeyPairSync("rsa", { modulusLength: 4096 });
  publicKey = pemOf(pair.publicKey);
  privateKey = pair.privateKey;
}, 60_000);

function open(sealed: string, label: string): string {
  const padding = constants.RSA_PKCS1_OAEP_PADDING;
  const key = { key: privateKey, padding, oaepHash: "sha256", oaepLabel: Buffer.from(label) };
  return privateDecrypt(key, Buffer.from(sealed, "base64")).toString();
}

test("another implementation opens what is sealed, with the right label only", async () => {
  const sealed = await seal(publicKey, "12345678", "pin", "739164");
  expect(sealed).toMatch(/^[A-Za-z0-9+/]+={0,2}$/);
  expect(open(sealed, "keyward/1/12345678/pin")).toBe("739164");
  for (const label of ["keyward/1/12345678/puk", "keyward/1/12345679/pin", "keyward/2/12345678/pin", ""]) {
    expect(() => open(sealed, label)).toThrow();
  }
  expect(await seal(publicKey, "12345678", "pin", "739164")).not.toBe(sealed);
});

test("keys that are too short or no keys are refused", async () => {
  const short = pemOf(generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey);
  const curve = pemOf(generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey);
  for (const bad of [short, curve, "", "no PEM", publicKey.slice(0, 300)]) {
    await expect(seal(bad, "12345678", "pin", "739164")).rejects.toThrow();
  }
});

test("the fingerprint is the SHA-256 of the key's DER", async () => {
  const der = Buffer.from(publicKey.replace(/-----.*-----|\s/g, ""), "base64");
  expect(await fingerprint(publicKey)).toBe(createHash("sha256").update(der).digest("hex"));
});
