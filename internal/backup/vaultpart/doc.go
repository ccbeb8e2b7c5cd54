// Package vaultpart is the vault's part of a backup: what goes into the file, and
// how it is restored (contract, "Backup and restore"). It knows neither files nor
// jobs.
//
//	vault ── Read, 20 workers ──▶ archive.Writer.Secret
//
//	Archive.Read ──▶ Survey.Look                  the check: form, classes, digests; nothing is written
//	Archive.ReadSecrets ──▶ Writer.Put, 20 workers, 256 of the embedded vault ──▶ vault ── End ──▶ Report
//
// Each path has a class from one table (ClassOf), which decides what happens to the document:
//
//	class           vault has none   vault has it
//	secrets         written          merged: the newer stays current, what only the other has is superseded
//	releases        written          kept
//	issuances       written          kept
//	audit           written          what only the backup has is added: chain.ImportVerificationKeys
//	configuration   written          kept
//	installation    written          kept
//	license         written          kept
//	other           written          kept
//	ca              see below
//
// If the backup takes over an unused vault of another installation, all of them are
// the backup's. Nothing is ever removed.
//
// # Documents below _pki
//
// The port has no such documents: Read makes them from the CA, and Writer applies
// them to it. docs/backup-format.md has their form.
//
//	_pki/ca                 the CA with its chain, and its key if the vault exports it
//	_pki/crl                the number of the last CRL
//	_pki/revocations/N      its revocations
//
// A vault with the same CA takes the revocations and continues above the number.
// Another CA is replaced on request, by a vault that can (the embedded one), once it
// has all revocations: no CRL of the backup's CA ever lacks them.
//
// # Consistency
//
// The vault is read after the database was dumped, while the server runs. So a
// token's document may be newer than its row, as when the server stops between the
// two writes: a row only requires a document at least as new. The logs may name
// audit entries and certificates missing in the dump; a restore that includes the
// logs marks those as lost (package rollback). Each log in the vault is read in the
// order in which its entries move, so that none is missed.
package vaultpart
