package store

import (
	"context"
	"math"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/settings"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
)

// adds is a write function that counts a setting up.
func adds(name string) func(context.Context, *tx) error {
	return func(ctx context.Context, x *tx) error {
		s, err := x.q.Setting(ctx, name)
		if err != nil {
			return err
		}
		n, err := strconv.Atoi(s.Value)
		if err != nil {
			return err
		}
		return x.writeSetting(ctx, name, settings.Value{Text: strconv.Itoa(n + 1), UpdatedAt: time.UnixMicro(1)})
	}
}

// TestManyWritersOfOneRow: of the writers of several replicas that all change
// one row, none is refused, and none overwrites another.
func TestManyWritersOfOneRow(t *testing.T) {
	t.Parallel()
	url := MigratedURL(t)
	const replicas, writers, each = 3, 8, 5
	var dbs [replicas]*DB
	for i := range dbs {
		dbs[i] = openURL(t, url)
	}
	must.OK(t, dbs[0].write(t.Context(), "begin", puts("n", "0")))
	var group sync.WaitGroup
	for i := range replicas * writers {
		group.Go(func() {
			for range each {
				if err := dbs[i%replicas].write(t.Context(), "add", adds("n")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if got, want := must.Get(dbs[0].Setting(t.Context(), "n"))(t).Text, strconv.Itoa(replicas*writers*each); got != want {
		t.Errorf("it was counted up to %s, want %s", got, want)
	}
}

// TestLongTransaction: while one takes its time, a write that others overtake
// again and again waits in vain to be alone; it keeps nobody waiting for long,
// and all but the long one get done.
func TestLongTransaction(t *testing.T) {
	t.Parallel()
	server := Server{URL: secret.New(MigratedURL(t)), IdleTransactionTimeout: time.Hour, LockTimeout: time.Hour}
	db := must.Get(OpenPostgres(t.Context(), server, Options{}))(t)
	t.Cleanup(func() { must.OK(t, db.Close()) })
	c := db.writer.(*contenders)
	c.within, c.alone = time.Hour, time.Millisecond
	must.OK(t, db.write(t.Context(), "begin", puts("x", "first")))
	release := holds(t, db, "long", nil)
	tries := 0
	must.OK(t, db.write(t.Context(), "slow", func(ctx context.Context, x *tx) error {
		if _, err := x.q.Setting(ctx, "x"); err != nil {
			return err
		}
		if tries++; tries <= overtakenAt+2 {
			must.OK(t, db.write(context.WithoutCancel(t.Context()), "quick", puts("x", "quick")))
		}
		return puts("x", "slow")(ctx, x)
	}))
	if want := overtakenAt + 3; tries != want {
		t.Errorf("it was run %d times, want %d", tries, want)
	}
	must.OK(t, release())
	if got := must.Get(db.Setting(t.Context(), "x"))(t).Text; got != "slow" {
		t.Errorf("got %q", got)
	}
}

// TestWaitIsAConflict: a write that waited too long for another begins again.
func TestWaitIsAConflict(t *testing.T) {
	t.Parallel()
	server := Server{URL: secret.New(MigratedURL(t)), LockTimeout: 10 * time.Millisecond}
	db := must.Get(OpenPostgres(t.Context(), server, Options{}))(t)
	t.Cleanup(func() { must.OK(t, db.Close()) })
	c := db.writer.(*contenders)
	c.within, c.waits = time.Hour, math.MaxInt
	conn := must.Get(db.writes.Conn(t.Context()))(t)
	defer conn.Close()
	must.Get(conn.ExecContext(t.Context(), "SELECT pg_advisory_lock($1)", int64(lockWriting)))(t)
	done := make(chan error, 1)
	go func() { done <- db.write(context.WithoutCancel(t.Context()), "waits", appends("waited")) }()
	refused := int64(0)
	await.That(t, "it has waited too long", func() bool {
		refused = must.Get(queryOne(t.Context(), db.read, scanInt,
			"SELECT xact_rollback FROM pg_stat_database WHERE datname = current_database()"))(t)
		return refused > 0 || len(done) > 0
	})
	must.OK(t, admitOthers(t.Context(), conn))
	must.OK(t, <-done)
	if got := targets(t, db); got != "waited" {
		t.Errorf("got %q", got)
	}
	must.Get(conn.ExecContext(t.Context(), "SELECT pg_advisory_lock($1)", int64(lockWriting)))(t)
	c.waits = maxWaited
	if err := db.write(t.Context(), "waits", appends("in vain")); !fault.Is(err, fault.DatabaseUnavailable) {
		t.Errorf("got %v, want DatabaseUnavailable", err)
	}
	must.OK(t, admitOthers(t.Context(), conn))
}

// TestWriteIsBounded: whatever a write waits for, its time has an end.
func TestWriteIsBounded(t *testing.T) {
	t.Parallel()
	db := setupPostgres(t)
	c := db.writer.(*contenders)
	conn := must.Get(db.writes.Conn(t.Context()))(t)
	defer conn.Close()
	must.Get(conn.ExecContext(t.Context(), "SELECT pg_advisory_lock($1)", int64(lockWriting)))(t)
	c.within, c.settle = 200*time.Millisecond, 100*time.Millisecond
	if err := db.write(t.Context(), "waits", appends("late")); !fault.Is(err, fault.DatabaseUnavailable) {
		t.Errorf("for a lock: got %v, want DatabaseUnavailable", err)
	}
	db.writes.SetMaxOpenConns(1)
	if err := db.write(t.Context(), "waits", appends("late")); !fault.Is(err, fault.DatabaseUnavailable) {
		t.Errorf("for a connection: got %v, want DatabaseUnavailable", err)
	}
	must.OK(t, admitOthers(t.Context(), conn))
	must.OK(t, conn.Close())
	c.within, c.settle = WriteWithin, settleWithin
	goesOn(t, db)
	if got := targets(t, db); got != "later" {
		t.Errorf("got %q", got)
	}
}
