// Package store keeps the domain's nouns in SQL. *DB implements the Store
// interfaces of audit, organization, user, session, hwkey and cert.
//
// # Engines
//
// SQLite (sqlite.go), for installations of one machine, and PostgreSQL
// (postgres*.go), for several servers. The queries keep to the SQL that both
// share, and migrations/postgres stands beside migrations/sqlite: same
// tables, same columns, same indexes. storetest holds both to one suite, on a
// real server.
//
// # Writing
//
// A write is a function over one transaction (writer.go). On SQLite all of
// them pass one goroutine, which runs what has queued up in one transaction,
// each function in a savepoint of its own, and commits once: one fsync
// serves many callers, and none of them sees the others' faults. A caller
// gets its answer after the commit. Its context counts while it waits in the
// queue, not after: what has been begun is told truthfully.
//
// On PostgreSQL each function is a serializable transaction of its own
// (contenders.go) and may run several times: when it lost to another, when
// its connection broke, when it collided with a row that it did not see. What
// became of a commit whose connection broke is asked by its number (commit.go),
// which a server that was started anew since, or crashed, cannot tell; what stands
// counts when the synchronous standbys have it. WriteWithin bounds all of that. What
// every write begins and ends with goes out at once (atonce.go): BEGIN with the check
// of the actor, the entries of the audit log with the COMMIT.
//
// # Following the log
//
// The audit log is followed by id, and on PostgreSQL ids commit out of order:
// horizon.go says how far the log is complete. Of several processes the leader
// follows (lead.go).
//
// In a request every write begins with the check of its actor (admission.go):
// a request whose sender was dismissed while it was under way changes nothing.
//
// # Statements
//
// Fixed statements stand in queries/*.sql, of which sqlc makes the package
// sqlcgen, one for both engines: t.q in a transaction, db.q() outside. Written
// in Go are only
//   - what is built at run time (where.go, pages.go): the scoped and filtered
//     lists, their counts, and what goes by a set of ids or serials;
//   - reads by id of what is listed, too: its columns and its scanning stand
//     here once, for both;
//   - the report, which composes its counts for the scope that it is for;
//   - the chain's reads (audit_chain.go): they take a column of any type and
//     check it, where generated code would convert;
//   - reads whose rows have to stay as they are until the commit: they end
//     in the engine's own way to keep them (tx.keeping);
//   - what has no table of its own: the estimates of statistics.go, which are
//     for any table, the schema's version, the ping, the writer's savepoints;
//   - what PostgreSQL alone has: advisory locks, numbers of transactions.
//
// # Rows
//
// Times are microseconds since 1970, UTC, as BIGINT; they are converted in
// values.go and nowhere else. What must be unique ignoring case has a folded
// column beside it, computed here, so that no engine's collation decides.
// Certificates are base64 text, lists are JSON text: there is no BLOB, so
// that a dump of one engine loads into the other.
//
// # Errors
//
// The faults that the interfaces name; DatabaseUnavailable when the database
// is locked, full, lost or closed, with the driver's error as its private
// cause; a context's own error; anything else wrapped with the operation's
// name.
package store
