// Package issuancelog is what the vault logs of certificates before they
// are signed, and of what became of each: on record, or revoked, or never
// signed (contract, "Audit"). Whoever changes the database alone cannot change
// it, and a certificate that was signed and never recorded is found by it.
//
//	TakeDown ──▶ _issuances/open/ID ── settled ──┬─ recorded ─▶ _issuances/settled/DAY/… ── a day later ──▶ _issuances/kept/…
//	                                             └─ the others ─▶ _issuances/unrecorded/ID_NNN
//
// Callers at once share one sheet, so that a busy server writes few, and what
// was settled within two seconds shares one document. Tidy puts those of a past
// day together, a thousand entries in each, and removes what ended 90 days ago.
// Until then some 500 bytes of a certificate remain: a million a year, each for a
// year, are some 1,400 documents and 600 MB.
//
// Nothing is lost in between: an entry is written to where it goes before it is
// removed from where it was. So it may be found twice, and whoever reads in that
// order (open, settled, kept) misses none.
package issuancelog
