// Package vaultpart is a backup's half of the vault: what of it goes into the file,
// and how it comes back (contract, "Backup and restore"). It knows neither files nor
// jobs.
//
//	vault ── Read, 20 workers ──▶ archive.Writer.Secret
//
//	archive.Read ──▶ Survey.Look                  the check: form, classes, digests; nothing is written
//	archive.ReadSecrets ──▶ Writer.Put, 20 workers, 256 of the embedded vault ──▶ vault ── End ──▶ Report
//
// Each path has a class by one table (ClassOf), and the class says what becomes of
// the document:
//
//	class           vault has none   vault has it
//	secrets         written          merged: the newer stays current, what only the other holds is superseded
//	releases        written          kept
//	issuances       written          kept
//	audit           written          what only the backup has is added: chain.Learn
//	configuration   written          kept
//	installation    written          kept
//	license         written          kept
//	other           written          kept
//	ca              see below
//
// Where the backup takes over a vault of another installation, one that nobody uses
// yet, all of them are the backup's. Nothing is ever removed.
//
// # What stands below _pki
//
// The port gives no such documents: Read makes them of the CA, and Writer hands them
// to it. docs/backup-format.md has their form.
//
//	_pki/ca                 the CA with those above it, and its key where the vault gives that away
//	_pki/crl                the number of the last CRL
//	_pki/revocations/N      what it has revoked
//
// With the same CA the vault takes the revocations and goes on above the number. Another
// CA is replaced when that was asked for, by a vault that can (the embedded one), after
// it has all revocations: no CRL of the backup's CA was ever without them.
//
// # Consistency
//
// The vault is read after the database was dumped, while the server serves. So a
// token's document may be newer than its row, as it is whenever the server stops
// between the two writes: a row only ever demands a document that is as new or newer.
// The logs may name audit entries and certificates that the dump lacks; a restore
// that takes the logs, too, notes those as lost (package recovery). Within the vault,
// each log is read in the order in which its entries move, so that none is missed.
package vaultpart
