import type { Field } from "../flow/types";
import { derOf, hex } from "../pem";

const leastBits = 4096;

/**
 * seal encrypts a value that somebody typed for the agent whose public key
 * (PEM) this is: RSA-OAEP (RFC 8017, section 7.1) with SHA-256 and the label
 * keyward/1/{serial}/{field}, in standard base64 (contract, "Sealing").
 */
export async function seal(publicKey: string, serial: string, field: Field, value: string): Promise<string> {
  const key = await crypto.subtle.importKey("spki", derOf(publicKey), { name: "RSA-OAEP", hash: "SHA-256" }, false, [
    "encrypt",
  ]);
  // The algorithm of an RSA key carries its modulus length.
  const bits = "modulusLength" in key.algorithm ? Number(key.algorithm.modulusLength) : 0;
  if (bits < leastBits) throw new Error("the agent's public key is no RSA key of 4096 bits");
  const text = new TextEncoder();
  const label = text.encode(`keyward/1/${serial}/${field}`);
  const sealed = await crypto.subtle.encrypt({ name: "RSA-OAEP", label }, key, text.encode(value));
  return btoa(String.fromCharCode(...new Uint8Array(sealed)));
}

/** codeOf is what a person compares of a key by its fingerprint (contract, "Identity"): 16 characters of base32, in fours. */
export function codeOf(fingerprint: string): string {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const bits = BigInt(`0x${fingerprint.slice(0, 20)}`); // 80 of them
  const code = Array.from({ length: 16 }, (_, i) => letters[Number((bits >> BigInt(75 - 5 * i)) & 31n)]).join("");
  return code.replace(/(.{4})(?=.)/g, "$1-");
}

/** fingerprint names a public key (PEM) as the agent and the server do: hex SHA-256 of its SubjectPublicKeyInfo. */
export async function fingerprint(publicKey: string): Promise<string> {
  return hex(new Uint8Array(await crypto.subtle.digest("SHA-256", derOf(publicKey))));
}
