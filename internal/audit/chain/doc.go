// Package chain makes the audit log tamper-evident (contract, "Audit"). A sealer
// follows the log, off the request path, and hashes its entries in ID order into a chain:
//
//	leaf  = SHA-256(canonical encoding of the entry, its id included)
//	h(i)  = SHA-256(h(i-1) || leaf(i))
//
//	audit_entries ──▶ Sealer ──▶ audit_batches (signed)     database
//	                        └──▶ audit_seal/head (signed)   vault
//
// The entries of a batch share a signature (Ed25519). The key is created once and
// kept in the vault, as is the newest head, so that the end of the log cannot be cut
// off unnoticed. docs/audit.md describes it for authors of other verifiers. Route:
// GET /api/admin/audit/seal; command: keyward audit verify.
//
// # Valid states
//
// A batch is durable in the database before the vault learns of it. So after a crash at any moment:
//
//	database            vault                 means
//	no batch            no key, no head       nothing was sealed yet
//	no batch            key, no head          stopped after the key was created
//	batches 1…n         key, no head          stopped before the first head
//	batches 1…n         head of k ≤ n         stopped before the head of n; the next run repairs it
//	batches 1…n         head of k > n         the database lost its end: never valid
//	batches 1…n         no key, another key   another installation's vault: never valid
//	batches 1…n         former keys, no key   restored from a backup: a new segment must begin
//
// The sealer refuses to continue where verification would fail: a chain continued
// over a cut would hide it.
package chain
