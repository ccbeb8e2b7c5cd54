// Package issuance makes end-entity certificates (RFC 5280) for token users
// and the self-signed root (specification, "Public PKI endpoints").
//
//	SignRequest --Lint--> *Linted --Sign--> certificate
//
// Lint checks the request and the CSR (RFC 2986), builds the exact bytes that
// are to be signed, reads them back with an independent parser and compares
// every field with the profile. Only Lint makes a usable *Linted, which can be
// signed once, so that nothing unlinted is signed and no serial number is used
// twice.
package issuance
