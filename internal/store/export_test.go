package store

import (
	"context"
	"database/sql"
	"errors"
	"testing"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/restore"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/store/postgrestest"
	"github.com/keyward/keyward/internal/store/sqlcgen"
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

// Encrypted reports whether the server sees TLS.
func Encrypted(ctx context.Context, db *DB) (bool, error) {
	n, err := queryOne(ctx, db.read, scanInt, "SELECT count(*) FROM pg_stat_ssl WHERE pid = pg_backend_pid() AND ssl")
	return n == 1, err
}

// WriteTwice makes every write function run twice; the first run is undone.
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

// Interrupted is a restore in which one statement fails.
type Interrupted struct {
	sqlcgen.DBTX

	At   int    // the number of the statement; 0: none
	With string // what runs in its place, and is refused
	Once bool   // only in the first try

	Tries, Statements int // of the last try
}

// Restore restores a database.
func (i *Interrupted) Restore(ctx context.Context, db, from *DB, o restore.Options) (restore.Report, error) {
	i.Tries = 0
	return db.restore(ctx, from, o, func(r *restoring) {
		i.DBTX, i.Statements = r.base, 0
		i.Tries++
		r.sql = unprepared(onPostgres, i)
		r.q = sqlcgen.New(r.sql)
	})
}

// next is the statement to run.
func (i *Interrupted) next(query string, args []any) (string, []any) {
	if i.Statements++; i.Statements != i.At || i.Once && i.Tries > 1 {
		return query, args
	}
	return i.With, nil
}

func (i *Interrupted) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	query, args = i.next(query, args)
	return i.DBTX.ExecContext(ctx, query, args...)
}

func (i *Interrupted) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	query, args = i.next(query, args)
	return i.DBTX.QueryContext(ctx, query, args...)
}

func (i *Interrupted) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	query, args = i.next(query, args)
	return i.DBTX.QueryRowContext(ctx, query, args...)
}

// Cut cuts a server's connection at the next COMMIT, before or after the server receives it. The
// returned URL leads there.
func Cut(t *testing.T, url string) (cut string, at func(after bool)) {
	t.Helper()
	c := newCutter(t, url)
	return c.url, func(after bool) {
		if after {
			c.at.Store(afterCommit)
		} else {
			c.at.Store(beforeCommit)
		}
	}
}
