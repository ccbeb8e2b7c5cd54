// Package hwkey is the heart of Keyward: tokens on record and the custody of
// their secrets.
//
// A secret changes in two places that share no transaction, the card and the
// vault. So a token's document in the vault (hwkeys/data/{serial}/secrets)
// holds, for each field, the current value, at most one pending, and the
// superseded ones; and it is written by check-and-set alone:
//
//	rotation:  none ──start──▶ open ──commit or abort, field by field──▶ closed
//
//	start    pending := next            durable before anyone sees it
//	commit   superseded += current; current := pending    the card holds pending
//	abort    superseded += pending                        the card holds current
//	observe  puts first what a probe found on the card
//	reset    current := fresh; superseded += the former; the factory value is
//	         a candidate again
//	takeover is the reset of a document whose token is not on record: an owner
//	         gets no former value that was nobody's
//
// No value that a card may hold is dropped by these moves, whatever a client
// says that it saw: only a reset lets superseded ones go, but the newest eight
// of each field, and at 256 no rotation starts before one. A lost answer, a
// closed tab or a crash anywhere leaves every value that the card may hold on
// record; whoever comes next probes the card and settles (contract, "A token is
// never bricked").
//
// document.go holds the moves as functions without input or output;
// custody.go carries them to the vault; service.go is the domain's face.
// status.go has the one table of statuses; released.go the cap on what one
// person gets to see in an hour; import.go and bulk.go do many tokens at once.
//
// Routes: /api/hwkey and below.
package hwkey
