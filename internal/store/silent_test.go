//go:build exhaustive

package store

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/store/postgrestest"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
)

// TestNetworkGoesSilent: under open connections, some of them in use, the network begins to swallow
// everything. Waiting callers learn that the database is away, the leader stops, and all goes on
// afterwards.
func TestNetworkGoesSilent(t *testing.T) {
	t.Parallel()
	cut := newCutter(t, MigratedURL(t))
	db := must.Get(OpenPostgres(t.Context(), Server{URL: secret.New(cut.url), StatementTimeout: 5 * time.Second}, Options{}))(t)
	t.Cleanup(func() { must.OK(t, db.Close()) })
	must.OK(t, db.write(t.Context(), "before", appends("before")))
	if _, _, err := db.Authenticate(t.Context(), 1); !fault.Is(err, fault.NotFound) {
		t.Errorf("before: got %v, want NotFound", err)
	}
	terms, _ := stands(t.Context(), db)
	term := await.From(t, "it leads", terms)
	c := db.writer.(*serializable)
	c.within, c.settle = 10*time.Second, time.Second
	underWay := make(chan struct{})
	asked := map[string]func(context.Context) error{
		"a read":    db.Ping,
		"the log":   func(ctx context.Context) error { _, err := db.AuditAfter(ctx, 0, 1); return err },
		"a session": func(ctx context.Context) error { _, _, err := db.Authenticate(ctx, 1); return err },
		"a key":     func(ctx context.Context) error { _, _, err := db.KeyByHash(ctx, "x"); return err },
		"a write":   func(ctx context.Context) error { return db.write(ctx, "write", appends("during")) },
	}
	var group sync.WaitGroup
	answers := func(what string, err error) {
		if !fault.Is(err, fault.DatabaseUnavailable) {
			t.Errorf("%s: got %v, want DatabaseUnavailable", what, err)
		}
	}
	group.Go(func() {
		var once sync.Once
		answers("a write that is under way", db.write(t.Context(), "write", func(ctx context.Context, x *tx) error {
			once.Do(func() { cut.silent.Store(true); close(underWay) })
			return appends("under way")(ctx, x)
		}))
	})
	await.From(t, "a write is under way", underWay)
	for what, ask := range asked {
		group.Go(func() { answers(what, ask(t.Context())) })
	}
	await.From(t, "the lead is lost", term.held.Done())
	group.Wait()
	cut.silent.Store(false)
	c.within, c.settle = WriteWithin, settleWithin
	goesOn(t, db)
	if got := targets(t, db); got != "later before" {
		t.Errorf("got %q", got)
	}
}

// TestMigrationsAreUnbounded: neither side ends a migration's statement, however short the timeout
// for others is.
func TestMigrationsAreUnbounded(t *testing.T) {
	t.Parallel()
	server := Server{URL: secret.New(postgrestest.Empty(t)), StatementTimeout: time.Millisecond}.withDefaults()
	config := must.Get(server.config())(t)
	server.ConnectTimeout = 0 // of what follows; the configuration has a copy
	ctx := context.Background()
	pool := server.pool(config, 1, use{parameters: migrating, unbounded: true})
	_, err := pool.ExecContext(ctx, "SELECT pg_sleep(0.1)")
	must.OK(t, err)
	must.OK(t, pool.Close())
	pool = server.pool(config, 1, use{parameters: migrating})
	if _, err := pool.ExecContext(ctx, "SELECT pg_sleep(60)"); err == nil {
		t.Error("another's statement has no end")
	}
	must.OK(t, pool.Close())
}
