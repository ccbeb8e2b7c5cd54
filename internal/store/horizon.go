package store

import (
	"context"
	"database/sql"
	"math"

	"github.com/keyward/keyward/internal/store/sqlcgen"
)

// On SQLite the ids of the audit log are in the order of the commits. On PostgreSQL a transaction
// takes its ids while others do, and commits before or after them: following the log by id up to
// its newest entry could miss one still under way.
//
// So a transaction announces itself before it takes an id: it reads the last assigned id, and holds
// a lock with that number until it ends. A follower reads the last assigned id, then the locks, and
// then the entries, each separately. An id assigned before the first read belongs to a transaction
// that either still holds its lock at the second, with a number below its ids, or has ended before
// the third. So up to the least of the numbers, the horizon, the log is complete.

const (
	positionBits = 48 // of an advisory lock's 64, the lower ones
	// given is the last assigned id.
	given = "SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM audit_entries_id_seq"
	// underWay is the least number that other transactions hold; NULL without any.
	underWay = `SELECT min(((l.classid::bigint & 65535) << 32) | l.objid::bigint) FROM pg_locks AS l
		WHERE l.locktype = 'advisory' AND l.objsubid = 1 AND l.classid::bigint >> 16 = $1 AND l.pid <> pg_backend_pid()
			AND l.database = (SELECT d.oid FROM pg_database AS d WHERE d.datname = current_database())`
)

const announcement = "SELECT pg_advisory_xact_lock_shared($1 | (" + given + "))"

// announcing returns what tells the log's followers of entries to come, before their ids are taken;
// nothing if they already know.
func (t *tx) announcing() []statement {
	if !t.others || t.announced {
		return nil
	}
	t.announced = true
	return []statement{{text: announcement, args: []any{int64(lockLog)}}}
}

// horizon returns an id up to which no more entries appear, except those of from's own transaction.
func (of engine) horizon(ctx context.Context, from querier) (int64, error) {
	if of == onSQLite {
		return math.MaxInt64, nil
	}
	var standby bool
	last, err := queryOne(ctx, from, func(row scanner) (n int64, err error) {
		err = row.Scan(&n, &standby)
		return n, err
	}, "SELECT ("+given+"), pg_is_in_recovery()")
	switch {
	case err != nil:
		return 0, err
	case standby: // a standby has the ids, but nobody's locks
		return 0, errReadOnly
	}
	held, err := queryOne(ctx, from, func(row scanner) (n sql.NullInt64, err error) {
		err = row.Scan(&n)
		return n, err
	}, underWay, int64(lockLog>>positionBits))
	if err == nil && held.Valid {
		last = min(last, held.Int64)
	}
	return last, err
}

// end returns the newest entry up to which the log is complete; zero without one.
func (of engine) end(ctx context.Context, from querier, q *sqlcgen.Queries) (int64, error) {
	upTo, err := of.horizon(ctx, from)
	if err != nil {
		return 0, err
	}
	id, err := q.NewestAuditUpTo(ctx, upTo)
	if none(err) {
		return 0, nil
	}
	return id, err
}

// AuditEnd implements audit.Store.
func (db *DB) AuditEnd(ctx context.Context) (int64, error) {
	id, err := db.engine.end(ctx, db.read, db.q())
	return id, asFault("audit end", err)
}

// end is the same within a transaction, including its own entries.
func (t *tx) end(ctx context.Context) (int64, error) {
	if err := t.log(ctx); err != nil {
		return 0, err
	}
	of := onSQLite
	if t.others {
		of = onPostgres
	}
	return of.end(ctx, t.sql, t.q)
}
