// Package issuance makes end-entity certificates (RFC 5280) for token users
// and the self-signed root (specification, "Public PKI endpoints").
//
//	SignRequest --Lint--> *Linted --Sign--> certificate
//
// Lint checks the request and the CSR (RFC 2986), builds the exact bytes that
// are to be signed, reads them back with an independent parser and compares
// every field with the profile. Only Lint makes a usable *Linted, and Sign
// takes one once, so that nothing unlinted can be signed and no serial number
// is used twice.
//
// Refused keys: types that the role does not list; RSA with an exponent other
// than 65537, an even modulus or one with small factors, primes that lie too
// close together (CVE-2022-26320), and the ROCA pattern (CVE-2017-15361, which
// YubiKey 4 tokens have). Not checked: Debian's weak keys of 2008
// (CVE-2008-0166); the list is too large, and no token could make them.
package issuance
