package store

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/settings"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
)

func setupPostgres(t *testing.T) *DB {
	t.Helper()
	return openURL(t, MigratedURL(t))
}

func openURL(t *testing.T, url string) *DB {
	t.Helper()
	return openServer(t, Server{URL: secret.New(url)})
}

func openServer(t *testing.T, server Server) *DB {
	t.Helper()
	db := must.Get(OpenPostgres(t.Context(), server, Options{}))(t)
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// puts is a write function that stores a setting.
func puts(name, text string) func(context.Context, *tx) error {
	return func(ctx context.Context, x *tx) error {
		return x.writeSetting(ctx, name, settings.Value{Text: text, UpdatedAt: time.UnixMicro(1)})
	}
}

// waiting counts the waiting writers.
func waiting(t *testing.T, db *DB) int64 {
	t.Helper()
	return must.Get(queryOne(t.Context(), db.read, scanInt, `SELECT count(*) FROM pg_locks
		WHERE locktype = 'advisory' AND NOT granted
			AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`))(t)
}

// TestAlwaysOvertaken: a write that another overtakes every time runs alone in
// the end, while the others wait for it.
func TestAlwaysOvertaken(t *testing.T) {
	t.Parallel()
	db := setupPostgres(t)
	must.OK(t, db.write(t.Context(), "begin", puts("x", "first")))
	var overtaking []chan error
	err := db.write(t.Context(), "slow", func(ctx context.Context, x *tx) error {
		if _, err := x.q.Setting(ctx, "x"); err != nil {
			return err
		}
		done := make(chan error, 1)
		overtaking = append(overtaking, done)
		go func() { done <- db.write(context.WithoutCancel(t.Context()), "quick", puts("x", "quick")) }()
		await.That(t, "the other write is done, or waits", func() bool { return len(done) == 1 || waiting(t, db) > 0 })
		return puts("x", "slow")(ctx, x)
	})
	must.OK(t, err)
	if len(overtaking) != exclusiveAt+1 {
		t.Errorf("it was run %d times, want %d", len(overtaking), exclusiveAt+1)
	}
	for _, done := range overtaking {
		must.OK(t, <-done)
	}
	if got := must.Get(db.Setting(t.Context(), "x"))(t).Text; got != "quick" {
		t.Errorf("got %q, want what was written last", got)
	}
	if n := waiting(t, db); n != 0 {
		t.Errorf("%d writers still wait", n)
	}
}

func TestPostgresPanicIsTheCallers(t *testing.T) {
	t.Parallel()
	db := setupPostgres(t)
	func() {
		defer func() {
			if p := recover(); p != "boom" {
				t.Errorf("recovered %v, want boom", p)
			}
		}()
		_ = db.write(t.Context(), "panic", func(ctx context.Context, x *tx) error {
			if err := appends("undone")(ctx, x); err != nil {
				return err
			}
			panic("boom")
		})
	}()
	goesOn(t, db)
	if got := targets(t, db); got != "later" {
		t.Errorf("got %q, want what the panic did undone", got)
	}
}

// TestPostgresContextEnds: what has begun reports its true outcome.
func TestPostgresContextEnds(t *testing.T) {
	t.Parallel()
	db := setupPostgres(t)
	ctx, cancel := context.WithCancel(t.Context())
	must.OK(t, db.write(ctx, "runs", func(ctx context.Context, x *tx) error {
		cancel()
		return appends("ran")(ctx, x)
	}))
	if err := db.write(ctx, "waits", appends("waited")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
	if got := targets(t, db); got != "ran" {
		t.Errorf("got %q", got)
	}
}

// TestSwallowedError: a function that ignores a statement's error has changed nothing, and the
// write fails.
func TestSwallowedError(t *testing.T) {
	t.Parallel()
	db := setupPostgres(t)
	nothing := func(context.Context, *tx) error { return nil }
	for name, then := range map[string]func(context.Context, *tx) error{"nothing more": nothing, "an entry more": notes("undone too")} {
		err := db.write(t.Context(), "swallow", func(ctx context.Context, x *tx) error {
			if err := appends("undone")(ctx, x); err != nil {
				return err
			}
			_, _ = x.sql.ExecContext(ctx, "SELECT 1/0")
			return then(ctx, x)
		})
		if !fault.Is(err, fault.DatabaseUnavailable) || !errors.Is(err, errContended) {
			t.Errorf("%s: got %v", name, err)
		}
		if got := targets(t, db); got != "" {
			t.Errorf("%s: got %q, want nothing", name, got)
		}
	}
}

// TestRefusedBeforeCommit: a refused statement that was sent with the COMMIT undoes the write, and
// the connection stays usable.
func TestRefusedBeforeCommit(t *testing.T) {
	t.Parallel()
	db := setupPostgres(t)
	db.writes.SetMaxOpenConns(1)
	for range 2 { // also with statements that the connection knows
		tries := 0
		must.OK(t, db.write(t.Context(), "refused", func(ctx context.Context, x *tx) error {
			tries++
			if err := notes("before")(ctx, x); err != nil {
				return err
			}
			if tries == 1 { // there is no such user
				x.entries.list = append(x.entries.list, statement{text: "INSERT INTO paired_users (user_id) VALUES (4711)"})
			}
			return nil
		}))
		if tries != 2 {
			t.Errorf("it was run %d times, want 2", tries)
		}
	}
	if got := targets(t, db); got != "before before" {
		t.Errorf("got %q", got)
	}
}

// TestCollision: two insert the same key, and neither saw the other. The second starts again and
// finds the first.
func TestCollision(t *testing.T) {
	t.Parallel()
	db := setupPostgres(t)
	tries := 0
	err := db.write(t.Context(), "second", func(ctx context.Context, x *tx) error {
		tries++
		const insert = `INSERT INTO organizations (name, name_key, is_active, email_domains, created_at, updated_at)
			VALUES ('A', 'a', TRUE, '[]', 1, 1)`
		n, err := queryOne(ctx, x.sql, scanInt, "SELECT count(*) FROM organizations")
		if err != nil || n > 0 {
			return err
		}
		must.OK(t, db.write(t.Context(), "first", func(ctx context.Context, x *tx) error {
			_, err := x.sql.ExecContext(ctx, insert)
			return err
		}))
		_, err = x.sql.ExecContext(ctx, insert)
		return err
	})
	must.OK(t, err)
	if tries != 2 {
		t.Errorf("it was run %d times, want 2", tries)
	}
}

// TestUnusualTexts: a client may send texts that PostgreSQL cannot hold.
func TestUnusualTexts(t *testing.T) {
	t.Parallel()
	db := setupPostgres(t)
	must.OK(t, db.AppendAudit(t.Context(), audit.Entry{Action: "a.b", Outcome: audit.Success, TargetID: "nul\x00", Details: "\xff"}))
	list := must.Get(db.AuditAfter(t.Context(), 0, 1))(t)
	if len(list) != 1 || list[0].TargetID != "nul\uFFFD" || list[0].Details != "\uFFFD" {
		t.Errorf("got %+v", list)
	}
}
