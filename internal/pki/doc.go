// Package pki is what Keyward knows about certificates without the CA's key, which is the
// vault's.
//
// Requests (CheckNames, CheckCSR, CheckKey) are checked before any CA sees them, so that all
// vault engines refuse the same ones with the same texts.
//
// Attestations (AttestationVerifier; Yubico, "PIV attestation") prove that a key was
// generated on this token, in this slot, with these policies.
//
//	slot attestation ◀── F9, the token's own CA ◀── a pinned CA (yubico/README.md)
//
// The CAs with their chains, and the CRL of each, are cached (CRLCache; specification, "Public PKI
// endpoints"), since external systems fetch them over and over.
//
//	nothing ──fetch──▶ fresh ──1 h──▶ due ──fetch──▶ fresh
//	                                   ├─vault away──▶ stale ──24 h or nextUpdate──▶ nothing (503)
//	                                   └─vault rolled back─▶ stale ──nextUpdate──▶ nothing (503)
//
// Package cert and the vault engines use the checks. Routes: GET /api/pki/crl, /crl/{id}, /crl/status,
// /parent-crl, /ca, /ca.cer, /ca/{file}, /ca_chain.
package pki
