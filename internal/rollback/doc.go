// Package rollback checks whether database and vault still belong together, and
// blocks what cannot be trusted meanwhile. Everything else keeps working, above all
// the CRL and the health report. Contract, "Audit" and "Two files that disagree".
//
// There are three findings:
//
//   - schema tampering: someone has put triggers, rules or views over the database's
//     tables. It ends when they are gone.
//   - the vault is older than the database expects: it was restored from a
//     snapshot. It has outdated secrets, and lacked revocations, which are
//     published again at once.
//   - the database is older than the vault expects. Dismissed people may be
//     active in it, so nobody can sign in.
//
// The latter two end when someone accepts them, or the right state is restored. Each
// side has marks of how far the other had come:
//
//	database  vault_marks   the vault's epoch, raised regularly, and its CRL's number
//	          certificates  which revocations the vault has
//	          hwkeys        the counter of each token's document, compared where it is used (hwkey)
//	vault     audit_seal    the head of the audit log's chain (audit/chain)
//	          Source        what else it has logged as done, such as recorded certificates
//
// A mark is written after the state it describes, and read before it, bypassing
// caches. So whatever happens between two writes, and whoever else writes, a mark is
// never ahead of the other side, unless that was restored to an older state.
//
// # Copies made a moment apart
//
// The two sides are copied one after the other, the vault first. What the vault
// knows of the database is then older than the database's copy. In the other
// direction, what changes by itself could be ahead: an epoch or number only counts
// as evidence once it was in the database for a round (RoundEvery), or after any
// server's start or stop. So neither falls between the copies. What people did in
// between, above all a revocation, is found: the vault's copy lacks it.
//
// A start or stop does not wait for a round: a vault copied before it and a database
// copied after it are the same files as when only the vault is restored just after a
// start, as when an upgrade is undone. The two cases cannot be told apart, and a
// false alarm is the lesser evil.
//
// # A restore
//
// A restore writes to both sides, but not atomically, so its first transaction
// records that it has begun (RestoreBegins), and its last that it has ended
// (RestoreEnds). In between, secrets and signatures are held back, and the database
// is not considered older. A restore that stopped halfway is found that way; it can
// be resumed, which repeats all of it, or abandoned by accepting the vault.
//
// # Where a finding is stored
//
// On the side that is not older, so that all servers see it; its id is also stored
// on the older side, to identify that state. If a comparison finds nothing and the
// id is gone, that side was replaced by another state, and the finding is over.
package rollback
