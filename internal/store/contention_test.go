package store

import (
	"context"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/settings"
	"github.com/keyward/keyward/test/must"
)

// adds is a write function that increments a setting.
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

// TestManyWritersOfOneRow: of many writers on several replicas that change one row, none is
// refused, and none overwrites another.
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

// TestWriteIsBounded: whatever a write waits for, it ends.
func TestWriteIsBounded(t *testing.T) {
	t.Parallel()
	db := setupPostgres(t)
	c := db.writer.(*serializable)
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
