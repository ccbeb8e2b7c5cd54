// Package issuancelog logs certificates in the vault before they are signed, and what became of
// each: recorded, revoked, or never signed (contract, "Audit"). Access to the database alone cannot
// change it, and it reveals a certificate that was signed but never recorded.
//
//	Record ──▶ _issuances/open/ID ── concluded ──┬─ recorded ─▶ _issuances/settled/DAY/… ── a day later ──▶ _issuances/kept/…
//	                                             └─ the others ─▶ _issuances/unrecorded/ID_NNN
//
// Callers at the same time share one batch, so that a busy server writes few, and what
// was settled within two seconds shares one document. Tidy puts those of a past
// day together, a thousand entries in each, and removes what ended 90 days ago.
// Until then some 500 bytes of a certificate remain: a million a year, each for a
// year, are some 1,400 documents and 600 MB.
//
// An entry is written to its destination before it is removed from its source. So it may be found
// twice, and a reader that follows the order open, settled, kept misses none.
package issuancelog
