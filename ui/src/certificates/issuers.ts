import { derOf } from "../pem";
import { type Parsed, parse, splitPem } from "./x509";

/** Issuer is a CA of a chain. */
export type Issuer = Parsed & { pem: string };

/** Issuers are those of one certificate, root last. other: a CA that the chain does not hold issued it. */
export type Issuers = Issuer[] | "other" | "unreadable";

/** issuersOf finds a certificate's issuers among the CAs that have live certificates, and those above them: all in PEM. */
export function issuersOf(certificate: string, chain: string): Issuers {
  try {
    const known = splitPem(chain).map((pem) => ({ pem, ...parse(derOf(pem)) }));
    if (known.length === 0) return "unreadable";
    const issuers: Issuer[] = [];
    let above = parse(derOf(certificate)).issuer;
    while (true) {
      const issuer = known.find((ca) => ca.subject === above && !issuers.includes(ca));
      if (!issuer) return issuers.length > 0 ? issuers : "other";
      issuers.push(issuer);
      if (issuer.issuer === issuer.subject) return issuers;
      above = issuer.issuer;
    }
  } catch {
    return "unreadable";
  }
}
