// Package rollback checks whether database and vault still belong together, and blocks
// what cannot be trusted until they do (Guard). Everything else goes on, above all the CRL
// and the health report. Contract, "Audit" and "Two files that disagree".
//
//	finding             means                                         blocked              ends when
//	SchemaTampering     foreign triggers, rules or views on tables    secrets, signatures  they are gone
//	VaultRolledBack     outdated secrets, missing revocations         secrets, signatures  accepted, or put right
//	DatabaseRolledBack  dismissed people may be active                these, and sign-in   accepted, or put right
//
// Each side has marks of how far the other had come:
//
//	database  vault_marks   the vault's epoch, raised regularly, and its CRL's number
//	          certificates  which revocations the vault has
//	          hwkeys        the counter of each token's document, compared where it is used (hwkey)
//	vault     audit_seal    the head of the audit log's chain (audit/chain)
//	          Source        what else it has logged as done, such as recorded certificates
//
// A mark is written after the state it describes, and read before it, bypassing caches. So
// whatever happens between two writes, and whoever else writes, a mark is never ahead of
// the other side, unless that was rolled back. Missing revocations are published again at
// once. A restore is neither side's rollback: see Unfinished.
package rollback
