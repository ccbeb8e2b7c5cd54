/** derOf gives the bytes of the first block of a PEM text. It throws when there is none. */
export function derOf(pem: string): Uint8Array<ArrayBuffer> {
  const block = /-----BEGIN ([A-Z0-9 ]+)-----\s+([A-Za-z0-9+/=\s]+)-----END \1-----/.exec(pem)?.[2];
  if (!block) throw new Error("no PEM");
  return Uint8Array.from(atob(block.replace(/\s+/g, "")), (c) => c.charCodeAt(0));
}

/** hex writes bytes in lower case. */
export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
