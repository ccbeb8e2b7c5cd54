package store

import (
	"context"
	"database/sql"
	"math"

	"github.com/keyward/keyward/internal/store/sqlcgen"
)

// On SQLite the ids of the audit log are in the order of the commits. On
// PostgreSQL a transaction takes its ids while others do, and commits before
// or after them: whoever read the log by id up to its newest entry could pass
// over one that is still under way.
//
// So a transaction announces itself before it takes an id: it reads how far
// the ids are given out, and holds a lock in which that number stands, until
// it has ended. A follower reads how far they are given out, then the locks,
// and then the entries, each for itself. What was given out before the first
// of these moments belongs to a transaction that either still holds its lock
// in the second, with a number below its ids, or has ended before the third.
// So up to the least of the numbers, the horizon, the log is complete.

const (
	positionBits = 48 // of an advisory lock's 64, the lower ones
	// given is how far ids are given out.
	given = "SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM audit_entries_id_seq"
	// underWay is the least number that other transactions hold; nothing when
	// there are none.
	underWay = `SELECT min(((l.classid::bigint & 65535) << 32) | l.objid::bigint) FROM pg_locks AS l
		WHERE l.locktype = 'advisory' AND l.objsubid = 1 AND l.classid::bigint >> 16 = $1 AND l.pid <> pg_backend_pid()
			AND l.database = (SELECT d.oid FROM pg_database AS d WHERE d.datname = current_database())`
)

const announcement = "SELECT pg_advisory_xact_lock_shared($1 | (" + given + "))"

// announcing tells the log's followers of entries to come: it goes before what
// takes their ids. It is nothing when they know.
func (t *tx) announcing() []statement {
	if !t.others || t.announced {
		return nil
	}
	t.announced = true
	return []statement{{text: announcement, args: []any{int64(lockLog)}}}
}

// horizon is an id up to which no entry appears any more, but of the
// transaction that from is.
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
	case standby: // it has the ids, and nobody's locks
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

// end is the newest entry up to which the log is complete; zero without one.
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

// end is the same within a transaction, whose own entries count as there.
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
