// Package embedded is the vault that needs no server: one bbolt file, every
// secret in it encrypted, with a certificate authority. It is package vault's
// port; the conformance suite is vaulttest.
//
// # Keys
//
//	seal (file, environment, passphrase) → key-encryption key
//	  → data-encryption key, wrapped in the header
//	    → HKDF → a key per record (AES-256-GCM) and the key of the set sum
//
// # What the file shows to one who has it without the key
//
// The paths of documents (token serial numbers and Keyward's own names),
// their sizes, and the revocations, which the CRL publishes. Not the
// documents, their times, or the CA key. Only a document's latest version is
// kept: what a card may hold stands in it.
//
// # What is noticed
//
// Any edited byte of a record (vault.ErrTampered, when it is read), and a
// record that was removed, added, swapped with another or put back from an
// older copy (when the vault opens, and by Verify). Not noticed: an older copy
// of the whole file, or its last commit undone; nothing in the file itself
// can tell that from a crash. Compare the CRL
// number, and the audit trail's signed heads, with copies kept elsewhere. One
// who may write the file can always destroy it.
//
// # Durability
//
// A write returns after the file was synced; writes that wait share a sync.
// After a failed sync nobody knows what is on the disk, so the engine then
// refuses writes (state "disconnected") until the process starts again. A
// full disk is no such case.
//
// # Opening
//
//	no file, or an empty one --Open--> new seal key, CA, open
//	file, right key          --Open--> verified, open
//	file, key missing, wrong --Open--> sealed --Unseal--> open
//	file, records changed    --Open--> vault.ErrTampered
//
// A new seal key or CA is never made for a file that holds a vault.
//
// # Backup
//
// Documents travel by the port (List and Get), revocations and the CRL number, too
// (Revoked, CRLNumber). The CA with its key is given by ExportCA, and taken by
// ReplaceCA, after which the CRL number is above both. Package backup/vaultpart does
// all that.
package embedded
