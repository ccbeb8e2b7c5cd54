// Package flow performs what a user wants done with a token, in small steps across the
// card (through the agent) and the vault (through the service). The two share no
// transaction, so every flow first settles what an earlier attempt left; it can be
// rerun after a stop at any point (contract, "A token is never bricked").
//
//	settle      read vault and card; probe what the card holds; commit, abort
//	            or observe
//	Enroll      settle → management key → PUK → PIN → readiness → key, CSR →
//	            certificate → import → installed → enrolled
//	ChangePIN   settle → rotation → set-pin → commit
//	Unblock     settle (not the PIN) → rotation → unblock-pin → commit
//	Renew       settle → readiness → key, CSR → certificate → import → installed
//
// Nothing is stored on this side: a flow derives what to do from the vault's
// candidates, the card's reports, and the recorded certificates.
//
// A flow that stops for a reason with a way out returns *Stop. Every other error is
// the peer's own. In either case the flow may be rerun.
package flow
