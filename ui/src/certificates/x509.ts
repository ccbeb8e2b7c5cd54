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
