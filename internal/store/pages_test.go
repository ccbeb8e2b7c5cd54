package store_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/store/storebench"
	"github.com/keyward/keyward/test/must"
)

// crowd is a database with some rows of each kind, whose lists are counted up to a bound.
func crowd(t *testing.T, countTo int) *store.DB {
	t.Helper()
	path := filepath.Join(t.TempDir(), "keyward.db")
	size := storebench.Size{Organizations: 2, Users: 10, Devices: 60, Sessions: 60, Certificates: 400, Audit: 400, Now: time.Now().UnixMicro()}
	if err := storebench.Fill(t.Context(), path, size); err != nil {
		t.Fatal(err)
	}
	db, err := store.OpenSQLite(t.Context(), path, store.Options{CountTo: countTo})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// TestCountsGiveUp: beyond the bound the total is the bound, and marked as inexact; later pages
// repeat it.
func TestCountsGiveUp(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		countTo int
		filter  hwkey.Filter
		want    page.Count
	}{
		{61, hwkey.Filter{}, page.Count{Total: 60, TotalIsExact: true}},
		{60, hwkey.Filter{}, page.Count{Total: 60, TotalIsExact: true}},
		{59, hwkey.Filter{}, page.Count{Total: 59}},
		{60, hwkey.Filter{Q: "bench-0000001"}, page.Count{Total: 10, TotalIsExact: true}},
		// The search covers only 16 rows; the total is at least what the page shows.
		{15, hwkey.Filter{Q: "bench-0000005"}, page.Count{Total: 2}},
		{1, hwkey.Filter{Status: hwkey.Active}, page.Count{Total: 2}},
	} {
		db := crowd(t, c.countTo)
		p, err := db.ListDevices(t.Context(), access.All(), c.filter, page.Request{Limit: 2})
		if err != nil || p.Count != c.want {
			t.Fatalf("%+v: %+v, %v", c, p.Count, err)
		}
		next, err := page.Parse(2, *p.NextCursor)
		if err != nil {
			t.Fatal(err)
		}
		if p, err = db.ListDevices(t.Context(), access.All(), c.filter, next); err != nil || p.Count != c.want {
			t.Errorf("%+v, on the second page: %+v, %v", c, p.Count, err)
		}
	}
	db := crowd(t, 30)
	first := time.Now().Add(-cert.Week).Truncate(cert.Week)
	whole := must.Get(db.CountByWeek(t.Context(), access.All(), cert.Filter{}, first, 60))(t)
	cut := must.Get(db.CountByWeek(t.Context(), access.All(), cert.Filter{Q: "bench"}, first, 60))(t)
	var all, found int64
	for i, n := range whole.Counts {
		all, found = all+n, found+cut.Counts[i]
		if before := all; before <= 30 && cut.Counts[i] != n {
			t.Errorf("week %d has %d of %d", i, cut.Counts[i], n)
		}
	}
	if !whole.AreExact || cut.AreExact || all <= 31 || found != 31 {
		t.Errorf("%d of %d found: %v, %v", found, all, whole.AreExact, cut.AreExact)
	}
	for want, action := range map[page.Count]string{{Total: 30}: "auth.", {Total: 20, TotalIsExact: true}: "auth.b"} {
		if p, err := db.ListAudit(t.Context(), access.All(), audit.Filter{Action: action}, page.Request{Limit: 2}); err != nil ||
			p.Count != want {
			t.Errorf("%s: %+v, %v", action, p.Count, err)
		}
	}
}
