import { derOf, sha256 } from "../agent/seal";

/** A DER element (X.690, section 8.1): where it begins, where its content does, and where it ends. */
type Element = { tag: number; start: number; content: number; end: number };

const sequence = 0x30;
const integer = 0x02;

/** element reads one element within [at, end), or gives null for what is none. */
function element(der: Uint8Array, at: number, end: number): Element | null {
  const tag = der[at];
  const first = der[at + 1];
  if (tag === undefined || first === undefined || at + 2 > end || (tag & 0x1f) === 0x1f) return null;
  let length = first;
  let content = at + 2;
  if (first >= 0x80) {
    const count = first - 0x80;
    if (count < 1 || count > 3) return null; // no indefinite length, and nothing of 16 MiB
    length = 0;
    for (let i = 0; i < count; i++) length = length * 256 + (der[content + i] ?? 0);
    content += count;
  }
  return content + length <= end ? { tag, start: at, content, end: content + length } : null;
}

/**
 * publicKeyOf finds the SubjectPublicKeyInfo of a request (RFC 2986):
 *
 *	SEQUENCE { SEQUENCE { INTEGER version, Name, SubjectPublicKeyInfo, … }, … }
 */
function publicKeyOf(der: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> | null {
  const request = element(der, 0, der.length);
  if (request?.tag !== sequence || request.end !== der.length) return null;
  const info = element(der, request.content, request.end);
  if (info?.tag !== sequence) return null;
  let at = info.content;
  for (const tag of [integer, sequence]) {
    const skipped = element(der, at, info.end);
    if (skipped?.tag !== tag) return null;
    at = skipped.end;
  }
  const key = element(der, at, info.end);
  return key?.tag === sequence ? der.slice(key.start, key.end) : null;
}

/**
 * keyOf names a request's (PEM) public key as certificate records do: hex of
 * the SHA-256 of its SubjectPublicKeyInfo. Empty when the request cannot be read.
 */
export async function keyOf(csr: string): Promise<string> {
  try {
    const key = publicKeyOf(derOf(csr));
    return key ? await sha256(key) : "";
  } catch {
    return ""; // no PEM
  }
}
