/** element writes a DER element, for tests. */
export function element(tag: number, ...content: Uint8Array[]): Uint8Array {
  const length = content.reduce((sum, c) => sum + c.length, 0);
  const head =
    length < 0x80 ? [tag, length] : length < 0x100 ? [tag, 0x81, length] : [tag, 0x82, length >> 8, length & 0xff];
  return Uint8Array.from([...head, ...content.flatMap((c) => [...c])]);
}

/** pem wraps DER into a PEM block. */
export function pem(label: string, der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}

/** spki is what stands for a public key: long enough for every form of length. */
export function spki(id: number): Uint8Array {
  return element(
    0x30,
    element(0x30),
    element(
      0x03,
      Uint8Array.from({ length: 270 }, (_, i) => (i * 7 + id) & 0xff),
    ),
  );
}

/** request is a CSR for a key, without a signature that anybody would check. */
export function request(key: Uint8Array, name: string): string {
  const subject = element(0x30, element(0x0c, new TextEncoder().encode(name)));
  const info = element(0x30, element(0x02, Uint8Array.of(0)), subject, key, element(0xa0));
  return pem("CERTIFICATE REQUEST", element(0x30, info, element(0x30), element(0x03, Uint8Array.of(0))));
}
