package store_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/store/storebench"
	"github.com/keyward/keyward/internal/user"
	"github.com/keyward/keyward/test/must"
)

// crowd is a database with some rows of each kind, whose lists are counted to
// so many.
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

// TestCountsUseAnIndex: a list is counted in the index that it is read by, or
// in another that holds only its rows.
func TestCountsUseAnIndex(t *testing.T) {
	t.Parallel()
	db := crowd(t, 0)
	counts := store.RecordCounts(db)
	org, own := access.Scope{Reach: access.Organization, OrganizationID: 1}, access.Scope{Reach: access.Own, UserID: 1}
	p := page.Request{Limit: 1}
	devices := func(s access.Scope, f hwkey.Filter) func() error {
		return func() error { _, err := db.ListDevices(t.Context(), s, f, p); return err }
	}
	users := func(s access.Scope, f user.Filter) func() error {
		return func() error { _, err := db.ListUsers(t.Context(), s, f, p); return err }
	}
	certificates := func(s access.Scope, f cert.Filter) func() error {
		f.Now = time.Now()
		return func() error { _, err := db.ListCertificates(t.Context(), s, f, p); return err }
	}
	entries := func(s access.Scope, f audit.Filter) func() error {
		return func() error { _, err := db.ListAudit(t.Context(), s, f, p); return err }
	}
	for i, c := range []struct {
		index string
		list  func() error
	}{
		{"SCAN h USING COVERING INDEX", devices(access.All(), hwkey.Filter{})},
		{"SEARCH h USING COVERING INDEX hwkeys_organization", devices(org, hwkey.Filter{})},
		{"SEARCH h USING COVERING INDEX hwkeys_organization_status", devices(org, hwkey.Filter{Status: hwkey.Active})},
		{"SEARCH h USING COVERING INDEX hwkeys_owner", devices(own, hwkey.Filter{})},
		{"SEARCH h USING INDEX hwkeys_", devices(org, hwkey.Filter{Q: "bench"})},
		{"SEARCH u USING COVERING INDEX users_organization", users(org, user.Filter{})},
		{"SEARCH s USING COVERING INDEX sessions_user", func() error { _, err := db.ListSessions(t.Context(), access.All(), 1, p); return err }},
		{"SCAN c USING COVERING INDEX", certificates(access.All(), cert.Filter{})},
		{"SEARCH c USING COVERING INDEX certificates_organization", certificates(org, cert.Filter{})},
		{"SEARCH c USING COVERING INDEX certificates_", certificates(org, cert.Filter{Status: cert.Revoked})},
		{"INDEX certificates_issued_ends", certificates(access.All(), cert.Filter{Status: cert.Issued, Sort: cert.EndsFirst})},
		{"SEARCH c USING COVERING INDEX certificates_owner", certificates(own, cert.Filter{})},
		{"SCAN e USING COVERING INDEX", entries(access.All(), audit.Filter{})},
		{"SEARCH e USING COVERING INDEX audit_entries_organization", entries(org, audit.Filter{})},
		{"SEARCH e USING COVERING INDEX audit_entries_actor_id", entries(own, audit.Filter{})},
		{"INDEX audit_entries_actor", entries(org, audit.Filter{Actor: "user3"})},
		{"COVERING INDEX audit_entries_denied", entries(access.All(), audit.Filter{Outcome: audit.Denied})},
		{"SEARCH e USING COVERING INDEX audit_entries_organization (organization_id=? AND at>?)", entries(org,
			audit.Filter{From: time.UnixMicro(1)})},
	} {
		t.Run(fmt.Sprint(i, " ", c.index), func(t *testing.T) {
			if err := c.list(); err != nil {
				t.Fatal(err)
			}
			if plan := counts.Plan(t, db); !strings.Contains(plan, c.index) || strings.Contains(plan, "TEMP B-TREE") {
				t.Errorf("want %s:\n%s", c.index, plan)
			}
		})
	}
}

// TestCountsGiveUp: beyond the bound the total is the bound, and is said not
// to be exact; later pages repeat it.
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
		// Looked for among 16 rows only: what the page shows is there at least.
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
