import { derOf } from "../pem";
import { type Parsed, parse, splitPem } from "./x509";

/** Issuer is a CA of a chain. */
export type Issuer = Parsed & { pem: string };

/** Issuers are those of one certificate, root last. other: a CA that the chain does not hold issued it. */
export type Issuers = Issuer[] | "other" | "unreadable";

/** issuersOf finds a certificate's issuers in the chain of the present CA, both in PEM. */
export function issuersOf(certificate: string, chain: string): Issuers {
  try {
    const issuers = splitPem(chain).map((pem) => ({ pem, ...parse(derOf(pem)) }));
    const [first] = issuers;
    if (!first) return "unreadable";
    return first.subject === parse(derOf(certificate)).issuer ? issuers : "other";
  } catch {
    return "unreadable";
  }
}
