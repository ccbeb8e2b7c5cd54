// Package pki is what the certificate authority knows apart from its key: which requests it
// refuses, what a token's attestation proves, and the published CRL.
//
// Requests (CheckNames, CheckCSR): judged before any CA sees them, so that all vault engines
// refuse the same with the same texts. Refused keys: types that the role does not list; RSA
// with an exponent other than 65537, an even modulus or small factors, primes that are too
// close (CVE-2022-26320), and the ROCA pattern (CVE-2017-15361, YubiKey 4). Not checked:
// Debian's weak keys of 2008 (CVE-2008-0166), which no token can make.
//
// Attestations (AttestationVerifier; Yubico, "PIV attestation"): a key was generated on this
// token, in this slot, with these policies.
//
//	slot attestation ◀── F9, the token's own CA ◀── a pinned CA (yubico/README.md)
//
// It differs from general X.509 verification in three ways. F9 must be issued directly by a
// pinned CA: tokens with firmware 4.3 to 5.2 may have an F9 without basicConstraints, and a
// verifier that ignores those along a whole path also accepts an attestation signed by a slot
// key whose own genuine attestation poses as F9. Only the F9 that came with the leaf counts:
// a production batch shares it, and nearly all have the same name. Validity times are ignored:
// they are the batch's. There is no challenge, so it is compared with the key whose possession
// a CSR proves. Real chains: testdata/chains/README.md.
//
// The CRL (CRLCache; specification, "Public PKI endpoints"), the CA and its chain, which
// external systems fetch over and over:
//
//	nothing ──fetch──▶ fresh ──1 h──▶ due ──fetch──▶ fresh
//	                                   ├─vault away──▶ stale ──24 h or nextUpdate──▶ nothing (503)
//	                                   └─vault rolled back─▶ stale ──nextUpdate──▶ nothing (503)
//
// It is fetched at once after a revocation. A vault whose list is past its nextUpdate counts
// as away; one whose list has a lower number than an earlier one of the same CA, as rolled
// back. Servers that share a vault follow each other's revocations, and keep the list in the
// database (SharedCRL), for a server that starts while the vault is away.
//
// Routes: GET /api/pki/crl, /crl/status, /ca, /ca_chain.
package pki
