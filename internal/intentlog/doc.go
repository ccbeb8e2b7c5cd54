// Package intentlog is what the vault records before a secret leaves or a certificate is
// signed (contract, "Audit"). Writing the database alone cannot change it, so it reveals a
// release or a certificate that the database does not know.
//
// Releases: the audit entry is written first. The vault then logs its hash, in pages that
// are chained; what it has logged, the audit log must have.
//
//	written to the database ──▶ Releases.Record reads it back, logs it ──▶ secrets leave (package custody)
//
//	{serial}/releases       the open page, written by check-and-set
//	{serial}/releases/N     closed pages 1, 2, …, each a full open page
//	{serial}/releases/lost  entries missing from an older database that was accepted (MarkUnaccounted)
//	_releases/HOUR/…        tokens with releases in that hour, for Missing
//
// Issuances: what is about to be signed is logged first, and concluded once it is known what
// became of it.
//
//	Record ──▶ _issuances/open/ID ── concluded ──┬─ recorded ─▶ _issuances/settled/DAY/… ── a day later ──▶ _issuances/kept/…
//	                                             └─ the others ─▶ _issuances/unrecorded/ID_NNN
//
// An issuance is written to its destination before it is removed from its source. So it may
// be found twice, and a reader that follows the order open, settled, kept misses none. Tidy
// merges the documents of a past day, up to a thousand entries in each, and removes what
// ended 90 days ago: a million certificates a year are some 1,400 documents and 600 MB.
//
// Concurrent callers share one write (batcher). VerifyReleases and VerifyIssuances compare
// everything with the database; package rollback asks only for what is recent.
// docs/audit.md describes the log for other verifiers.
package intentlog
