// Package recovery finds out whether database and vault still belong together,
// and holds back what cannot be trusted meanwhile. Everything else goes on: the
// CRL and the health report above all. Contract, "Audit" and "Two files that
// disagree".
//
// Three things are found:
//
//   - altered: somebody has put triggers, rules or views over the database's
//     tables. It ends when they are gone.
//   - the vault is older than the database knows it to be: it was put back from
//     a snapshot. It has former secrets, and lacked revocations, which are
//     published again at once.
//   - the database is older than the vault knows it to be. It may hold dismissed
//     people as active, so nobody signs in.
//
// The latter two end when somebody accepts them, or when the right state is put
// in place. Each side has marks of how far the other had come:
//
//	database  vault_marks   the vault's epoch, which is raised again and again, and its CRL's number
//	          certificates  which revocations the vault has
//	          hwkeys        the counter of each token's document, compared where it is used (hwkey)
//	vault     audit_seal    the head of the audit log's chain (audit/chain)
//	          Source        what else it has logged as done, such as certificates on record
//
// A mark is written after what it tells of, and read before it, past every
// cache. So whatever happens between two writes, and whoever writes meanwhile, a
// mark is never ahead of the other side, unless that was put back.
//
// # Copies that were made a moment apart
//
// Two files are copied one after the other, the vault first. What the vault
// knows of the database is then older than the copy of that. The other way
// round, what changes by itself could be ahead: an epoch or number counts as
// evidence only when it stood in the database for a round (RoundEvery), or when a
// server, any of several, was started or stopped since. So none is in between the
// copies. What people did in between, a revocation above all, is found: it is
// missing in the vault's copy.
//
// A start or stop does not wait for a round, too: a vault copied before it and a
// database copied after it are the very two files that there are when the vault
// alone is put back just after a start, as when an upgrade is undone. Nothing tells
// these apart, and of the two a false alarm is the lesser evil.
//
// # A restore
//
// It writes to both sides, and not at once, so it says in its first transaction that it
// has begun (RestoreBegins), and in the end that it has ended (RestoreEnds). In between
// secrets and signatures are held back, and the database is not taken for older. One
// that stopped half-way is found by that, resumed by doing all of it again, or given up
// by accepting the vault.
//
// # Where a finding stands
//
// On the side that is not older, so that all servers see it; with its id on the
// other side, to know that state by. Where a comparison finds nothing, and that
// id is not there, another state was put in place, and the finding is over.
package recovery
