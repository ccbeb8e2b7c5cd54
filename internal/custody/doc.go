// Package custody keeps the secrets of tokens: their documents in the vault, and the gate
// through which they leave.
//
// A secret changes in two places that share no transaction, the card and the vault.
// So a token's document in the vault (hwkeys/data/{serial}/secrets) holds, for each
// field, the current value, at most one pending, and the superseded ones. It is only
// written by check-and-set:
//
//	rotation:  none ──start──▶ open ──commit or abort, field by field──▶ closed
//
//	start    pending := next            durable before anyone sees it
//	commit   superseded += current; current := pending    the card holds pending
//	abort    superseded += pending                        the card holds current
//	observe  puts first what a probe found on the card
//	reset    current := fresh; superseded += the former; the factory value is
//	         a candidate again
//	takeover resets the document of an unregistered token: an owner gets no
//	         former value that had no owner
//
// None of these moves drops a value that a card may hold, whatever a client claims:
// only a reset drops superseded values, keeping the newest eight of each field, and
// at 256 no rotation starts before one. After a lost answer, a closed tab or a
// crash, every value that the card may hold is still recorded; the next client
// probes the card and settles (contract, "A token is never bricked").
// document.go has the moves as pure functions, store.go applies them in the vault, and
// restore.go merges a backup's document with the present one. NewSealer has the vault log a
// release (package intentlog) and returns the only thing that seals: Sealer.
//
// Neighbours: package hwkey decides who may have a secret, agentkey seals to a key.
package custody
