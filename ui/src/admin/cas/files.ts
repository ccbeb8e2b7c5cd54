/** mostBytes is what a certificate, or a chain, has at most (api/backend.yaml). */
export const mostBytes = 64 * 1024;

/** pemOf gives the content of a certificate's file as PEM, whether it is that or DER, which Windows writes. */
export function pemOf(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(bytes);
  const sequence = 0x30; // with which DER begins
  if (bytes[0] !== sequence || text.includes("-----BEGIN")) return text;
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{64}(?=.)/g, "$&\n")}\n-----END CERTIFICATE-----\n`;
}

/** fileOf is a file's name for something of a CA. */
export function fileOf(name: string, ending: string): string {
  return `${name.replace(/[^A-Za-z0-9._-]+/g, "_") || "ca"}.${ending}`;
}
