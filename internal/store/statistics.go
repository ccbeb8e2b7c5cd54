package store

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/keyward/keyward/internal/system"
)

// exactRows is how many rows of a table are counted one by one.
const exactRows = 10_000

// reportedTables are those whose growth an administrator wants to know.
var reportedTables = []string{
	"organizations", "users", "sessions", "api_keys", "hwkeys", "certificates", "notices", "audit_entries",
}

// Statistics implements system.Database. A large table is not counted: if it loses no rows, the
// span of its ids is their number, and sessions go in the order in which they came. On PostgreSQL
// undone transactions leave gaps, so that the span is an upper bound; the server's own estimate is
// closer.
func (db *DB) Statistics(ctx context.Context) (system.DatabaseReport, error) {
	r := system.DatabaseReport{Engine: db.Engine(), Tables: []system.TableReport{}}
	var err error
	if r.SchemaVersion, err = db.SchemaVersion(ctx); err != nil {
		return r, err
	}
	for _, table := range reportedTables {
		t, err := db.tableReport(ctx, table)
		if err != nil {
			return r, asFault("statistics", err)
		}
		r.Tables = append(r.Tables, t)
	}
	err = db.addSizes(ctx, &r)
	return r, asFault("statistics", err)
}

func (db *DB) addSizes(ctx context.Context, r *system.DatabaseReport) (err error) {
	if db.engine == onPostgres { // its log is the server's, of all its databases
		r.SizeBytes, err = queryOne(ctx, db.read, scanInt, "SELECT pg_database_size(current_database())")
		return err
	}
	if r.SizeBytes, err = fileSize(db.path); err != nil {
		return err
	}
	wal, err := fileSize(db.path + "-wal")
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	r.WALBytes = &wal
	return err
}

// Begun implements system.Beginnings.
func (db *DB) Begun(ctx context.Context) (s system.FirstSteps, err error) {
	const query = `SELECT EXISTS (SELECT 1 FROM organizations), (SELECT count(*) FROM (SELECT 1 FROM users LIMIT 2) AS u) > 1,
		EXISTS (SELECT 1 FROM hwkeys)`
	s, err = queryOne(ctx, db.read, func(row scanner) (s system.FirstSteps, err error) {
		err = row.Scan(&s.Organization, &s.People, &s.Token)
		return s, err
	}, query)
	return s, asFault("first steps", err)
}

func (db *DB) tableReport(ctx context.Context, table string) (system.TableReport, error) {
	t := system.TableReport{Name: table}
	row := db.read.QueryRowContext(ctx, "SELECT count(*) FROM (SELECT 1 FROM "+table+" LIMIT $1) AS r", exactRows+1)
	if err := row.Scan(&t.Rows); err != nil || t.Rows <= exactRows {
		return t, err
	}
	t.Estimated = true
	// Two seeks in the primary key.
	row = db.read.QueryRowContext(ctx, "SELECT (SELECT max(id) FROM "+table+") - (SELECT min(id) FROM "+table+") + 1")
	if err := row.Scan(&t.Rows); err != nil || db.engine != onPostgres {
		return t, err
	}
	learned, err := queryOne(ctx, db.read, scanInt, learnedRows, table)
	if none(err) {
		return t, nil // nothing yet
	}
	t.Rows = min(t.Rows, max(learned, exactRows+1))
	return t, err
}

// learnedRows is the planner's estimate of a PostgreSQL table's rows: those of a page when the
// table was last analyzed, times its current pages.
const learnedRows = `SELECT (reltuples / relpages * (pg_relation_size(oid) / current_setting('block_size')::bigint))::bigint
	FROM pg_class WHERE oid = to_regclass($1) AND reltuples > 0 AND relpages > 0`

func fileSize(path string) (int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// Writable checks that the database takes writes now: it goes the way of a write, takes the lock,
// and writes nothing.
func (db *DB) Writable(ctx context.Context) error {
	return db.write(ctx, "try to write", func(context.Context, *tx) error { return nil })
}

// OpenRotations counts tokens with a change of secrets that is not finished.
func (db *DB) OpenRotations(ctx context.Context) (int64, error) {
	n, err := db.q().OpenRotations(ctx)
	return n, asFault("open rotations", err)
}

// PendingDeliveries counts what webhooks are still to get.
func (db *DB) PendingDeliveries(ctx context.Context) (int64, error) {
	n, err := db.q().PendingDeliveries(ctx)
	return n, asFault("pending deliveries", err)
}
