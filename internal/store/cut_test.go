package store

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/test/must"
)

// TestCutAtCommit: whatever becomes of the connection, a write happens once, or is truthfully
// reported as unknown.
func TestCutAtCommit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		at    int32
		tries int
	}{"before": {beforeCommit, 2}, "after": {afterCommit, 1}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cut := newCutter(t, MigratedURL(t))
			db := openURL(t, cut.url)
			cut.at.Store(c.at)
			tries := 0
			must.OK(t, db.write(t.Context(), "cut", func(ctx context.Context, x *tx) error {
				tries++
				return notes("once")(ctx, x)
			}))
			if tries != c.tries {
				t.Errorf("it was run %d times, want %d", tries, c.tries)
			}
			if got := targets(t, db); got != "once" {
				t.Errorf("got %q", got)
			}
			if cut.at.Load() != nowhere {
				t.Error("nothing was cut")
			}
		})
	}
}

// TestCutAtCommitWithoutSpare: as many commits break at once as there may be connections. They do
// not wait for each other.
func TestCutAtCommitWithoutSpare(t *testing.T) {
	t.Parallel()
	cut := newCutter(t, MigratedURL(t))
	db := openURL(t, cut.url)
	db.writes.SetMaxOpenConns(1)
	cut.at.Store(afterCommit)
	must.OK(t, db.write(t.Context(), "cut", notes("once")))
	if got := targets(t, db); got != "once" {
		t.Errorf("got %q", got)
	}
}

// TestOutcomeUnknown: the server cannot be asked for the outcome.
func TestOutcomeUnknown(t *testing.T) {
	t.Parallel()
	direct := MigratedURL(t)
	cut := newCutter(t, direct)
	db := openURL(t, cut.url)
	db.writer.(*serializable).settle = 300 * time.Millisecond
	cut.at.Store(afterCommit)
	err := db.write(t.Context(), "cut", func(ctx context.Context, x *tx) error {
		cut.refuse.Store(true)
		return notes("made all the same")(ctx, x)
	})
	if f, ok := fault.As(err); !ok || f.Code != fault.DatabaseUnavailable || f.Reason != "outcome_unknown" {
		t.Errorf("got %v", err)
	}
	if got := targets(t, openURL(t, direct)); got != "made all the same" {
		t.Errorf("got %q", got)
	}
	cut.refuse.Store(false)
	goesOn(t, db)
}

// TestBrokenBeforeCommit: a connection that breaks earlier has changed nothing, and the write
// starts again over another.
func TestBrokenBeforeCommit(t *testing.T) {
	t.Parallel()
	db := setupPostgres(t)
	tries := 0
	must.OK(t, db.write(t.Context(), "broken", func(ctx context.Context, x *tx) error {
		tries++
		if err := appends("once")(ctx, x); err != nil || tries > 1 {
			return err
		}
		pid, err := queryOne(ctx, x.sql, scanInt, "SELECT pg_backend_pid()")
		if err != nil {
			return err
		}
		_, err = db.writes.ExecContext(t.Context(), "SELECT pg_terminate_backend($1)", pid)
		return errors.Join(err, appends("more")(ctx, x))
	}))
	if tries != 2 {
		t.Errorf("it was run %d times, want 2", tries)
	}
	if got := targets(t, db); got != "once" {
		t.Errorf("got %q", got)
	}
}

// TestBrokenReads: a read goes on over another connection.
func TestBrokenReads(t *testing.T) {
	t.Parallel()
	db := setupPostgres(t)
	goesOn(t, db)
	other := must.Get(db.writes.Conn(t.Context()))(t)
	defer other.Close()
	for range 3 {
		_, err := other.ExecContext(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE datname = current_database() AND pid <> pg_backend_pid()`)
		must.OK(t, err)
		if got := targets(t, db); got != "later" {
			t.Errorf("got %q", got)
		}
		if _, _, err := db.Authenticate(t.Context(), 1); !fault.Is(err, fault.NotFound) {
			t.Errorf("got %v, want NotFound", err)
		}
	}
}
