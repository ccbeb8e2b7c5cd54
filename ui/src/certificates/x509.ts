import { hex } from "../pem";

/** What a page shows of a certificate that the server sends as PEM alone, such as a CA's. */
export type Parsed = {
  /** The subject's common name, else its whole name. */
  name: string;
  subject: string;
  issuer: string;
  notBefore: string;
  notAfter: string;
  /** Lower-case hex, as the server writes serial numbers. */
  serialNumber: string;
};

/** Usages are what a certificate's key may be used for. */
export type Usages = {
  /** RFC 5280's names. */
  keyUsage: string[];
  /** Names, or dotted OIDs of purposes that have none here. */
  purposes: string[];
};

/** splitPem gives every certificate of a text of PEM blocks, each as a block of its own. */
export function splitPem(text: string): string[] {
  return text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g)?.map((b) => `${b}\n`) ?? [];
}

type Node = { tag: number; body: Uint8Array };

/** read takes one DER value, and throws where the bytes end too early. */
function read(bytes: Uint8Array, at: number): { node: Node; next: number } {
  const tag = bytes[at];
  let size = bytes[at + 1];
  if (tag === undefined || size === undefined) throw new Error("DER ends too early");
  let start = at + 2;
  if (size > 0x80) {
    const many = size & 0x7f;
    size = 0;
    for (const byte of bytes.subarray(start, start + many)) size = size * 256 + byte;
    start += many;
  }
  if (start + size > bytes.length) throw new Error("DER ends too early");
  return { node: { tag, body: bytes.subarray(start, start + size) }, next: start + size };
}

function children(node: Node): Node[] {
  const out: Node[] = [];
  for (let at = 0; at < node.body.length; ) {
    const { node: child, next } = read(node.body, at);
    out.push(child);
    at = next;
  }
  return out;
}

function nth(nodes: Node[], i: number): Node {
  const node = nodes[i];
  if (!node) throw new Error("not a certificate");
  return node;
}

// Object identifiers of attributes, as hex of their encoding.
const attributes: Record<string, string> = {
  "550403": "CN",
  "550405": "serialNumber",
  "550406": "C",
  "550407": "L",
  "550408": "ST",
  "55040a": "O",
  "55040b": "OU",
  "2a864886f70d010901": "emailAddress",
  "0992268993f22c640119": "DC",
};

const bmpString = 0x1e;

function words(node: Node): string {
  return new TextDecoder(node.tag === bmpString ? "utf-16be" : "utf-8").decode(node.body);
}

/** pairs lists the attributes of a name (RFC 5280, section 4.1.2.4). */
function pairs(name: Node): [string, string][] {
  return children(name).flatMap((set) =>
    children(set).map((pair): [string, string] => {
      const [type, value] = children(pair);
      if (!type || !value) throw new Error("not a name");
      const oid = hex(type.body);
      return [attributes[oid] ?? oid, words(value)];
    }),
  );
}

const written = (name: [string, string][]) => name.map(([type, value]) => `${type}=${value}`).join(", ");

const generalizedTime = 0x18;

/** time reads UTCTime and GeneralizedTime (RFC 5280, section 4.1.2.5). */
function time(node: Node): string {
  const digits = new TextDecoder().decode(node.body);
  const long = node.tag === generalizedTime ? digits : (Number(digits.slice(0, 2)) < 50 ? "20" : "19") + digits;
  return long.replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z");
}

const version = 0xa0;

/** parse reads a certificate's names and dates. It verifies nothing: the server did, and the page only shows. */
export function parse(der: Uint8Array): Parsed {
  const fields = children(nth(children(read(der, 0).node), 0));
  if (fields[0]?.tag === version) fields.shift();
  const issuer = pairs(nth(fields, 2));
  const subject = pairs(nth(fields, 4));
  const dates = children(nth(fields, 3));
  return {
    name: subject.find(([type]) => type === "CN")?.[1] ?? written(subject),
    subject: written(subject),
    issuer: written(issuer),
    notBefore: time(nth(dates, 0)),
    notAfter: time(nth(dates, 1)),
    serialNumber: hex(nth(fields, 0).body).replace(/^(00)+(?=..)/, ""),
  };
}

/** oid writes an object identifier with dots (X.690, section 8.19). */
function oid(body: Uint8Array): string {
  const arcs: number[] = [];
  let arc = 0;
  for (const byte of body) {
    arc = arc * 128 + (byte & 0x7f);
    if (byte & 0x80) continue;
    arcs.push(arc);
    arc = 0;
  }
  const [first = 0, ...rest] = arcs;
  const root = Math.min(2, Math.floor(first / 40));
  return [root, first - root * 40, ...rest].join(".");
}

// The bits of a key usage, in their order (RFC 5280, section 4.2.1.3).
const keyUsages = [
  "digitalSignature",
  "contentCommitment",
  "keyEncipherment",
  "dataEncipherment",
  "keyAgreement",
  "keyCertSign",
  "cRLSign",
  "encipherOnly",
  "decipherOnly",
];

/** Purposes that have a name in profiles. */
const purposes: Record<string, string> = {
  "1.3.6.1.5.5.7.3.2": "clientAuth",
  "1.3.6.1.5.5.7.3.4": "emailProtection",
  "1.3.6.1.5.5.7.3.7": "ipsecUser",
  "1.3.6.1.5.5.7.3.36": "documentSigning",
  "1.3.6.1.4.1.311.20.2.2": "smartcardLogon",
  "1.3.6.1.5.2.3.4": "pkinitClient",
  "2.16.840.1.101.3.6.8": "cardAuthentication",
};

/** purposeNames are the purposes with a name. */
export const purposeNames = Object.values(purposes);

const extensions = 0xa3;

/** usages reads what a certificate's key may be used for; nothing of what is not there. */
export function usages(der: Uint8Array): Usages {
  const out: Usages = { keyUsage: [], purposes: [] };
  const all = children(nth(children(read(der, 0).node), 0)).find((field) => field.tag === extensions);
  for (const extension of all ? children(nth(children(all), 0)) : []) {
    const parts = children(extension);
    const value = read(nth(parts, parts.length - 1).body, 0).node;
    const id = oid(nth(parts, 0).body);
    if (id === "2.5.29.15") {
      out.keyUsage = keyUsages.filter((_, i) => (value.body[1 + (i >> 3)] ?? 0) & (0x80 >> (i & 7)));
    } else if (id === "2.5.29.37") {
      out.purposes = children(value).map((purpose) => {
        const dotted = oid(purpose.body);
        return purposes[dotted] ?? dotted;
      });
    }
  }
  return out;
}
