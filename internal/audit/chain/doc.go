// Package chain makes the audit log tamper evident (contract, "Audit"). A
// sealer follows the log, off the request path, and hashes its entries in the
// order of their ids into a chain:
//
//	leaf  = SHA-256(canonical encoding of the entry, its id included)
//	h(i)  = SHA-256(h(i-1) || leaf(i))
//
//	audit_entries ──▶ Sealer ──▶ audit_batches (signed)     database
//	                        └──▶ audit_seal/head (signed)   vault
//
// The entries of a batch share a signature (Ed25519); its key is made once
// and kept in the vault, as is the newest head, so that the end of the
// database cannot be cut off unnoticed. docs/audit.md describes all of it for
// who wants to write another verifier. Route: GET /api/admin/audit/seal;
// command: keyward audit verify.
//
// # Which states are in order
//
// A batch is durable in the database before the vault hears of it. So after
// a crash at any moment:
//
//	database            vault                 means
//	no batch            no key, no head       nothing was sealed yet
//	no batch            key, no head          stopped after the key was made
//	batches 1…n         key, no head          stopped before the first head
//	batches 1…n         head of k ≤ n         stopped before the head of n; the next run repairs it
//	batches 1…n         head of k > n         the database lost its end: never in order
//	batches 1…n         no key, another key   another installation's vault: never in order
//	batches 1…n         former keys, no key   restored from a backup: a new segment is to begin
//
// The sealer refuses to go on where verification would complain: a chain that
// grew on over a cut would hide it.
package chain
