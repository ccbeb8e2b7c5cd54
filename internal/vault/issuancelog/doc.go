// Package issuancelog logs certificates in the vault before they are signed, and what became of
// each: recorded, revoked, or never signed (contract, "Audit"). Access to the database alone cannot
// change it, and it reveals a certificate that was signed but never recorded.
//
//	TakeDown ─▶ open/ID ─ settled ─┬─ recorded ─▶ settled/DAY/… ─ a day later ─▶ kept/…
//	                               └─ others ───▶ unrecorded/ID_NNN
//
// All paths are below _issuances. Concurrent callers share one sheet, so that a busy server writes
// few, and what is settled within two seconds shares one document. Tidy merges those of a past day
// into documents of a thousand entries, and removes what ended 90 days ago. Until then some 500
// bytes remain per certificate: a million a year, each valid for a year, take some 1,400 documents
// and 600 MB.
//
// An entry is written to its destination before it is removed from its source. So it may be found
// twice, and a reader that follows the order open, settled, kept misses none.
package issuancelog
