package store

import (
	"context"
	"database/sql"
	"errors"
	"testing"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/store/postgrestest"
)

// MigratedURL is a PostgreSQL database without rows.
func MigratedURL(t testing.TB) string {
	t.Helper()
	return postgrestest.Migrated(t, func(ctx context.Context, url string) error {
		db, err := OpenPostgres(ctx, Server{URL: secret.New(url)}, Options{})
		if err != nil {
			return err
		}
		return db.Close()
	})
}

// Encrypted tells whether the server sees TLS.
func Encrypted(ctx context.Context, db *DB) (bool, error) {
	n, err := queryOne(ctx, db.read, scanInt, "SELECT count(*) FROM pg_stat_ssl WHERE pid = pg_backend_pid() AND ssl")
	return n == 1, err
}

// WriteTwice lets every write function run twice; what it does the first time
// is undone.
func WriteTwice(db *DB) { db.writer = twice{db.writer} }

type twice struct{ writes }

var errOnceMore = errors.New("once more")

func (w twice) do(ctx context.Context, actor *access.Admission, fn func(context.Context, *tx) error) error {
	err := w.writes.do(ctx, actor, func(ctx context.Context, t *tx) error {
		if err := fn(ctx, t); err != nil {
			return err
		}
		if err := t.log(ctx); err != nil {
			return err
		}
		return errOnceMore
	})
	if !errors.Is(err, errOnceMore) {
		return err
	}
	return w.writes.do(ctx, actor, fn)
}

// Counts records the queries that count lists.
type Counts struct {
	recorder

	query string
	args  []any
}

// RecordCounts makes a database tell its counting.
func RecordCounts(db *DB) *Counts {
	c := &Counts{recorder: recorder{DBTX: db.reads}}
	db.read = newStatements(c)
	return c
}

func (c *Counts) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	c.query, c.args = query, args
	return c.DBTX.QueryRowContext(ctx, query, args...)
}

// Plan is how the last list was counted; empty when it was not.
func (c *Counts) Plan(t *testing.T, db *DB) string {
	t.Helper()
	if c.query == "" {
		return ""
	}
	defer func() { c.query = "" }()
	return c.query + "\n" + explain(t, db, c.query, c.args)
}
