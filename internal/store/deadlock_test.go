package store

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
)

// meeting is a transaction in a deadlock.
type meeting struct {
	*sql.Tx

	pool *sql.DB
}

// meet begins it. Of two deadlocked transactions the server undoes the one that checks first:
// connections made from now on check after 3 seconds, this one later.
func meet(t *testing.T, pool *sql.DB) meeting {
	t.Helper()
	statement := must.Get(queryOne(t.Context(), unprepared(onPostgres, pool), scanText,
		"SELECT format('ALTER DATABASE %I SET deadlock_timeout = ''3s''', current_database())"))(t)
	must.Get(pool.ExecContext(t.Context(), statement))(t)
	x := must.Get(pool.BeginTx(t.Context(), nil))(t)
	must.Get(x.ExecContext(t.Context(), "SET LOCAL deadlock_timeout = '20s'"))(t)
	return meeting{x, pool}
}

// other is undone once by the meeting, and must still succeed.
func (m meeting) other(t *testing.T, lock string, other func(context.Context) error) {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- other(t.Context()) }()
	await.That(t, "it waits for the transaction", func() bool {
		return must.Get(queryOne(t.Context(), unprepared(onPostgres, m.pool), scanInt, `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock'`))(t) > 0
	})
	switch _, err := m.ExecContext(t.Context(), lock); {
	case deadlocked(err): // the machine was too slow, and the other checked first
		must.OK(t, m.Rollback())
	default:
		must.OK(t, err)
		must.OK(t, m.Commit())
	}
	must.OK(t, await.From(t, "it is done", done))
}

// TestReadMeetsMigration: a read of two tables that a migration changes in the other order succeeds
// afterwards.
func TestReadMeetsMigration(t *testing.T) {
	t.Parallel()
	patient := Server{URL: secret.New(MigratedURL(t)), LockTimeout: time.Hour, StatementTimeout: time.Hour}
	m := meet(t, openServer(t, patient).writes)
	db := openServer(t, patient)
	must.Get(m.ExecContext(t.Context(), "ALTER TABLE hwkeys ADD COLUMN newer TEXT"))(t)
	m.other(t, "ALTER TABLE certificates ADD COLUMN newer TEXT", func(ctx context.Context) error {
		_, err := queryOne(ctx, db.read, scanInt, "SELECT count(*) FROM certificates AS c JOIN hwkeys AS h ON h.id = c.hwkey_id")
		return err
	})
}
