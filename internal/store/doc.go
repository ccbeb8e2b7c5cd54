// Package store keeps the domain's nouns in SQL. *DB implements the Store
// interfaces of audit, organization, user, session, hwkey and cert.
//
// # Engines
//
// SQLite, for installations of one machine. The queries keep to the SQL that
// PostgreSQL shares, and migrations/postgres stands beside
// migrations/sqlite: same tables, same columns, same indexes.
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
// # Statements
//
// Fixed statements stand in queries/*.sql, of which sqlc makes the package
// sqlcgen, one for both engines: t.q in a transaction, db.q() outside. What
// is built at run time (where.go, pages.go) is the scoped and filtered list;
// what is listed has its columns and its scanning once, here, and is read by
// its id with the same.
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
