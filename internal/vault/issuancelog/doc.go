// Package issuancelog logs certificates in the vault before they are signed, and then what became of
// each (contract, "Audit"). Writing the database alone cannot change the log, so it reveals a
// certificate that was signed but never recorded. Package cert records and concludes the intents.
//
//	Record ──▶ _issuances/open/ID ── concluded ──┬─ recorded ─▶ _issuances/settled/DAY/… ── a day later ──▶ _issuances/kept/…
//	                                             └─ the others ─▶ _issuances/unrecorded/ID_NNN
//
// Concurrent callers share one batch, and what was settled within two seconds one document. Tidy
// merges the documents of a past day, up to a thousand entries in each, and removes what ended 90
// days ago. Until then some 500 bytes of a certificate remain: a million a year, each valid for a
// year, are some 1,400 documents and 600 MB.
//
// An entry is written to its destination before it is removed from its source. So it may be found
// twice, and a reader that follows the order open, settled, kept misses none.
package issuancelog
