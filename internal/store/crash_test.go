//go:build exhaustive

package store_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/store/postgrestest"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
)

// TestServerKilled kills the database server while many write, like a power loss. After the restart
// everything acknowledged is there, every transaction is whole, and the same database goes on.
func TestServerKilled(t *testing.T) {
	t.Parallel()
	server := postgrestest.Start(t, postgrestest.Options{}) // with fsync
	db := openPostgres(t, server.URL("postgres"), store.Options{})
	told := map[string]bool{}
	for round := range 2 {
		for name := range writeUntilKilled(t, db, server, fmt.Sprint(round)) {
			told[name] = true
		}
		must.OK(t, server.Restart())
		must.OK(t, db.AppendAudit(t.Context(), audit.Entry{Action: "crash.after", Outcome: audit.Success}))
	}
	entries, twins := namesOf(t, db, "crash.test"), namesOf(t, db, "crash.twin")
	for name := range told {
		if !entries[name] {
			t.Errorf("entry %s was acknowledged and is lost", name)
		}
	}
	if len(entries) != len(twins) {
		t.Errorf("%d entries and %d twins: a transaction is torn", len(entries), len(twins))
	}
}

// writeUntilKilled returns what was acknowledged.
func writeUntilKilled(t *testing.T, db *store.DB, server *postgrestest.Server, prefix string) map[string]bool {
	t.Helper()
	var mu sync.Mutex
	var killed atomic.Bool
	told := map[string]bool{}
	enough := make(chan struct{})
	var group sync.WaitGroup
	for w := range 8 {
		group.Go(func() {
			for i := 0; ; i++ {
				name := fmt.Sprintf("%s/%d/%d", prefix, w, i)
				err := db.AppendAudit(context.WithoutCancel(t.Context()), audit.Entry{Action: "crash.test", Outcome: audit.Success, TargetID: name},
					audit.Entry{Action: "crash.twin", Outcome: audit.Success, TargetID: name})
				if err != nil {
					if !fault.Is(err, fault.DatabaseUnavailable) || !killed.Load() {
						t.Errorf("got %v", err)
					}
					return
				}
				mu.Lock()
				if told[name] = true; len(told) == 100 {
					close(enough)
				}
				mu.Unlock()
			}
		})
	}
	await.From(t, "there are enough entries", enough)
	killed.Store(true)
	must.OK(t, server.Kill())
	group.Wait()
	return told
}

// TestFailover: a standby refuses changes, and says so; once it is the primary, it accepts them. Of
// several servers the writable one is used.
func TestFailover(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	primary := postgrestest.Start(t, postgrestest.Options{})
	must.OK(t, must.Get(store.OpenPostgres(ctx, serverAt(primary.URL("postgres")), store.Options{}))(t).Close())
	must.OK(t, primary.Shutdown())
	standby := postgrestest.Start(t, postgrestest.Options{From: primary})
	must.OK(t, primary.Restart())

	alone := openPostgres(t, standby.URL("postgres"), store.Options{Existing: true})
	for what, err := range map[string]error{
		"a write": alone.AppendAudit(ctx, audit.Entry{Action: "a.b", Outcome: audit.Success}), "a read": alone.Ping(ctx),
	} {
		if f, ok := fault.As(err); !ok || f.Code != fault.DatabaseUnavailable || f.Reason != "read_only" {
			t.Errorf("%s of a standby: got %v", what, err)
		}
	}
	both := openPostgres(t, standby.URLWith("postgres", primary), store.Options{})
	must.OK(t, both.AppendAudit(ctx, audit.Entry{Action: "to.primary", Outcome: audit.Success}))
	if got := namesOf(t, openPostgres(t, primary.URL("postgres"), store.Options{}), "to.primary"); len(got) != 1 {
		t.Errorf("%d entries on the primary, want 1", len(got))
	}
	if got := namesOf(t, both, "to.primary"); len(got) != 1 {
		t.Errorf("%d entries are read, want 1", len(got))
	}
	if _, _, err := both.Authenticate(ctx, 1); !fault.Is(err, fault.NotFound) {
		t.Errorf("got %v, want NotFound", err)
	}
	reader := must.Get(store.OpenPostgresReader(ctx, serverAt(standby.URLWith("postgres", primary))))(t)
	must.OK(t, errors.Join(reader.Ping(ctx), reader.Close()))
	must.OK(t, primary.Kill())
	must.OK(t, standby.Run(ctx, "SELECT pg_promote()"))
	for _, db := range []*store.DB{alone, both} {
		must.OK(t, db.AppendAudit(ctx, audit.Entry{Action: "to.successor", Outcome: audit.Success, TargetID: db.Engine()}))
		must.OK(t, db.Ping(ctx))
	}
}

func serverAt(url string) store.Server { return store.Server{URL: secret.New(url), MaxConnections: 4} }
