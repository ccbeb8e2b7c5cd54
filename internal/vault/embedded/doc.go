// Package embedded is the vault that needs no server: one bbolt file with every secret encrypted,
// and a certificate authority. It implements package vault's port; the conformance suite is
// vaulttest.
//
//	seal (file, environment, passphrase) → key-encryption key
//	  → data-encryption key, wrapped in the header
//	    → HKDF → a key per record (AES-256-GCM) and the key of the set sum
//
// Without the key, the file shows the paths of documents (token serial numbers and Keyward's own
// names), their sizes, and the revocations, which the CRL publishes; not the documents, their
// times, or the CA key. Only a document's latest version is kept: it holds all that a card may
// hold.
//
// Reading finds any edited byte of a record; opening and Verify also find a record that was
// removed, added, swapped or replaced by an older copy (vault.ErrTampered). An older copy of the
// whole file, or its last commit undone, is not found, since the file cannot tell that from a
// crash: compare the CRL number, and the audit log's signed heads, with copies kept elsewhere.
//
// A write returns after the file is synced; waiting writes share a sync. After a failed sync the
// state of the disk is unknown, so the engine refuses writes (state "disconnected") until the
// process restarts. A full disk is no such case.
//
//	no file, or an empty one --Open--> new seal key, CA, open
//	file, right key          --Open--> verified, open
//	file, key missing, wrong --Open--> sealed --Unseal--> open
//	file, records changed    --Open--> vault.ErrTampered
//
// A new seal key or CA is never made for a file that holds a vault.
//
// Package backup/vaultpart backs up documents through the port (List, Get), revocations and the CRL
// numbers (Revoked, CRLNumber), and the CAs with their keys (ExportCAs). RestoreCAs restores them; the
// CRL numbers are then above both.
package embedded
