// Package store keeps the domain's nouns in SQL. *DB implements the Store interfaces of audit,
// account, session, hwkey, cert and others (db.go).
//
// Engines: SQLite (sqlite.go) for installations on one machine, PostgreSQL (postgres*.go) for
// several servers. Both share the queries; migrations/postgres and migrations/sqlite make the same
// tables, columns and indexes. storetest runs one suite on both, on a real server.
//
// # Writing
//
// A write is a function over one transaction. On SQLite (writer.go) one goroutine runs all that has
// queued up in one transaction, each function in its own savepoint, and commits once: one fsync
// serves many callers, and none sees the others' faults. A caller gets its result after the commit;
// its context counts only while it waits in the queue.
//
// On PostgreSQL (serializable.go) each function is its own serializable transaction and may run
// several times: after a conflict, a broken connection, or a collision with a row that it did not
// see. If the connection broke during the commit, the outcome is queried by the transaction's
// number (commit.go), which a server that restarted or crashed since cannot tell. A commit counts
// once the synchronous standbys have it. WriteWithin bounds all of that. BEGIN is sent with the
// check of the actor, COMMIT with the entries of the audit log (pipeline.go).
//
// In a request every write begins with the check of its actor (admission.go): a request whose
// sender was dismissed meanwhile changes nothing. Of several processes the leader follows the audit
// log by id (lead.go); on PostgreSQL ids commit out of order, and horizon.go says how far the log
// is complete.
//
// # Statements
//
// Fixed statements are in queries/*.sql, from which sqlc generates sqlcgen, one for both engines:
// t.q in a transaction, db.q() outside. Only these are written in Go:
//   - what is built at run time (where.go, pages.go): the scoped and filtered
//     lists, their counts, and queries by a set of ids or serials;
//   - reads by id of what is also listed, to share its columns and scanning;
//   - the report, which composes its counts for its scope;
//   - the chain's reads (audit_chain.go): they check a column's type, where
//     generated code would convert;
//   - reads whose rows must stay unchanged until the commit (tx.keeping);
//   - what has no table of its own: the estimates of statistics.go, the
//     schema's version, the ping, the writer's savepoints;
//   - what only PostgreSQL has: advisory locks, transaction numbers.
//
// # Rows
//
// Times are microseconds since 1970, UTC, as BIGINT, converted only in values.go. What must be
// unique ignoring case has a folded column beside it, computed here, so that no engine's collation
// decides. Certificates are base64 text, lists are JSON text: without BLOBs a dump of one engine
// loads into the other.
//
// # Errors
//
// The faults that the interfaces name; DatabaseUnavailable if the database is locked, full, lost or
// closed, with the driver's error as its private cause; a context's own error; anything else
// wrapped with the operation's name.
package store
