// Package flow carries out what a person wants of a token, in small steps
// across the card (through the agent) and the vault (through the service).
// The two share no transaction, so every flow first settles what an earlier
// attempt left and then goes on; it can be run again after a stop at any
// point (contract, "A token is never bricked").
//
//	settle      read vault and card; probe what the card holds; commit, abort
//	            or observe
//	Enroll      settle → management key → PUK → PIN → readiness → key, CSR →
//	            certificate → import → installed → enrolled
//	ChangePIN   settle → rotation → set-pin → commit
//	Unblock     settle (not the PIN) → rotation → unblock-pin → commit
//	Renew       settle → readiness → key, CSR → certificate → import → installed
//
// Nothing is kept on this side: a flow knows what to do from the vault's
// candidates, the card's own words, and the certificates on record.
//
// A flow that stops for a reason with a way out returns *Outcome. Every other
// error is the peer's own. In either case the same flow may be run again.
package flow
