//go:build exhaustive

package store

import (
	"database/sql"
	"net/url"
	"testing"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/store/postgrestest"
	"github.com/keyward/keyward/test/must"
)

// TestFormerPrimary: a primary that was cut off and goes on, while another took its place, is no
// longer used, neither over open connections nor over new ones; if it is the only one, it is
// refused.
func TestFormerPrimary(t *testing.T) {
	t.Parallel()
	former := postgrestest.Start(t, postgrestest.Options{})
	must.OK(t, must.Get(OpenPostgres(t.Context(), Server{URL: secret.New(former.URL("postgres"))}, Options{}))(t).Close())
	must.OK(t, former.Shutdown())
	successor := postgrestest.Start(t, postgrestest.Options{From: former})
	must.OK(t, former.Restart())

	cut := newCutter(t, former.URL("postgres"))
	both := must.Get(url.Parse(successor.URL("postgres")))(t)
	proxy, q := must.Get(url.Parse(cut.url))(t), both.Query()
	both.RawQuery = url.Values{"host": {proxy.Hostname() + "," + q.Get("host")}, "port": {proxy.Port() + "," + q.Get("port")},
		"sslmode": {"disable"}}.Encode()
	db := openURL(t, both.String())
	goesOn(t, db)
	held := must.Get(db.reads.Conn(t.Context()))(t)
	must.OK(t, held.PingContext(t.Context()))
	must.OK(t, successor.Run(t.Context(), "SELECT pg_promote()"))
	cut.refuse.Store(true)
	db.writes.SetMaxIdleConns(0) // so that writing needs another connection
	must.OK(t, db.write(t.Context(), "to the successor", appends("late")))
	must.OK(t, held.Close())
	for range 2 {
		if got := targets(t, db); got != "late" {
			t.Errorf("got %q, want what the successor has", got)
		}
		cut.refuse.Store(false)
		db.reads.SetMaxIdleConns(0) // now over another connection
	}
	alone := openURL(t, former.URL("postgres"))
	alone.timelines.newest.Store(db.timelines.newest.Load())
	for _, pool := range []*sql.DB{alone.reads, alone.checks, alone.writes} {
		if err := asFault("ping", pool.PingContext(t.Context())); !fault.Is(err, fault.DatabaseUnavailable) {
			t.Errorf("got %v, want DatabaseUnavailable", err)
		}
	}
}

// TestHorizonOfAStandby: it has the ids of the log, but not its writers' locks, so it cannot tell
// how far the log is complete.
func TestHorizonOfAStandby(t *testing.T) {
	t.Parallel()
	primary := postgrestest.Start(t, postgrestest.Options{})
	must.OK(t, must.Get(OpenPostgres(t.Context(), Server{URL: secret.New(primary.URL("postgres"))}, Options{}))(t).Close())
	must.OK(t, primary.Shutdown())
	standby := postgrestest.Start(t, postgrestest.Options{From: primary})
	db := must.Get(OpenPostgresReader(t.Context(), Server{URL: secret.New(standby.URL("postgres"))}))(t)
	t.Cleanup(func() { must.OK(t, db.Close()) })
	_, err := db.AuditAfter(t.Context(), 0, 1)
	if f, ok := fault.As(err); !ok || f.Reason != "read_only" {
		t.Errorf("got %v, want read_only", err)
	}
}
