package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/notify/mail"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/session"
	"github.com/keyward/keyward/internal/store/sqlcgen"
	"github.com/keyward/keyward/internal/webhook"
	"github.com/keyward/keyward/test/must"
)

// recorder keeps the last query's text and arguments, except for the count that follows a page.
type recorder struct {
	sqlcgen.DBTX
	query string
	args  []any
}

func (r *recorder) PrepareContext(context.Context, string) (*sql.Stmt, error) {
	return nil, sql.ErrNoRows // so that queries come unprepared, with their arguments
}

func (r *recorder) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	r.query, r.args = query, args
	return r.DBTX.QueryContext(ctx, query, args...)
}

func (r *recorder) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	if !strings.HasSuffix(query, " AS counted") {
		r.query, r.args = query, args
	}
	return r.DBTX.QueryRowContext(ctx, query, args...)
}

// TestPlans checks the index of every list: a page's cost must not grow with the table. The planner
// has no statistics, as in an installation that never ran ANALYZE.
func TestPlans(t *testing.T) {
	t.Parallel()
	onBoth(t, plans)
}

func plans(t *testing.T, db *DB) {
	r := &recorder{DBTX: db.reads}
	db.read = newStatements(r)
	org, own := access.Scope{Reach: access.Organization, OrganizationID: 1}, access.Scope{Reach: access.Own, UserID: 1}
	p := page.Request{Limit: 50, Before: 1}
	after := func(s page.Sort) page.Request { return page.Request{Limit: 50, Before: 1, Sorted: s != "", After: "x"} }
	one := populate(t, db)
	from, to := time.UnixMicro(1), time.UnixMicro(2)
	devices := func(s access.Scope, f hwkey.Filter) func() error {
		return func() error { _, err := db.ListDevices(t.Context(), s, f, after(f.Sort)); return err }
	}
	users := func(s access.Scope, f account.UserFilter) func() error {
		return func() error { _, err := db.ListUsers(t.Context(), s, f, after(f.Sort)); return err }
	}
	certificates := func(s access.Scope, f cert.Filter) func() error {
		return func() error { _, err := db.ListCertificates(t.Context(), s, f, after(f.Sort)); return err }
	}
	organizations := func(f account.OrganizationFilter) func() error {
		return func() error { _, err := db.ListOrganizations(t.Context(), access.All(), f, after(f.Sort)); return err }
	}
	sessions := func(s access.Scope) func() error {
		return func() error { _, err := db.ListSessions(t.Context(), s, one, p); return err }
	}
	entries := func(s access.Scope, f audit.Filter) func() error {
		return func() error { _, err := db.ListAudit(t.Context(), s, f, p); return err }
	}
	keys := func(s access.Scope) func() error {
		return func() error {
			_, err := db.ListKeys(t.Context(), s, session.APIKeyFilter{ActiveAt: time.Now()}, p)
			return err
		}
	}
	deliveries := func(f webhook.Filter) func() error {
		return func() error { _, err := db.ListDeliveries(t.Context(), 1, f, p); return err }
	}
	mails := func(f mail.Filter) func() error {
		return func() error { _, err := db.ListMail(t.Context(), f, p); return err }
	}
	for i, c := range []struct {
		index string
		list  func() error
	}{
		{"webhook_deliveries_webhook ", deliveries(webhook.Filter{})},
		{"webhook_deliveries_status ", deliveries(webhook.Filter{Status: webhook.Failed})},
		{"webhooks_organization ", func() error { _, err := db.ListWebhooks(t.Context(), org, p); return err }},
		{"e USING INTEGER PRIMARY KEY", func() error { _, err := db.AuditAfter(t.Context(), 1, 10); return err }},
		{"h USING INTEGER PRIMARY KEY", devices(access.All(), hwkey.Filter{})},
		{"hwkeys_organization ", devices(org, hwkey.Filter{})},
		{"hwkeys_owner ", devices(own, hwkey.Filter{})},
		{"hwkeys_status ", devices(access.All(), hwkey.Filter{Status: hwkey.Active})},
		{"hwkeys_organization_status ", devices(org, hwkey.Filter{Status: hwkey.Active})},
		{"hwkeys_owner ", devices(org, hwkey.Filter{OwnerID: &one, Status: hwkey.Active})},
		{"hwkeys_owner ", devices(own, hwkey.Filter{OrganizationID: &one, Q: "x"})},
		{"hwkeys_organization ", devices(org, hwkey.Filter{Q: "x"})},
		{"hwkeys_rotation_pending", devices(access.All(), hwkey.Filter{RotationPending: true, Status: hwkey.Active})},
		{"h USING INDEX sqlite_autoindex_hwkeys_1 (serial_key>", devices(access.All(), hwkey.Filter{Sort: "serial"})},
		{"h USING INDEX sqlite_autoindex_hwkeys_1 (serial_key<", devices(access.All(), hwkey.Filter{Sort: "-serial", Status: hwkey.Lost})},
		{"h USING INDEX hwkeys_organization_serial ", devices(org, hwkey.Filter{Sort: "serial", Status: hwkey.Active})},
		{"h USING INDEX hwkeys_label ", devices(access.All(), hwkey.Filter{Sort: "label", Q: "x"})},
		{"h USING INDEX hwkeys_organization_label ", devices(org, hwkey.Filter{Sort: "-label"})},
		{"h USING INDEX hwkeys_status (status>?", devices(access.All(), hwkey.Filter{Sort: "status"})},
		{"h USING INDEX hwkeys_organization_status (organization_id=? AND status<?", devices(org, hwkey.Filter{Sort: "-status", Q: "x"})},
		{"hwkeys_status (status=? AND id>", devices(access.All(), hwkey.Filter{Sort: "status", Status: hwkey.Lost})},
		{"hwkeys_organization (organization_id=? AND id>", devices(org, hwkey.Filter{Sort: "registered"})},
		{"hwkeys_rotation_pending", devices(org, hwkey.Filter{RotationPending: true})},
		{"hwkeys_rotation_pending", func() error { _, err := db.DevicesWithPendingRotation(t.Context(), p); return err }},
		{"h USING INTEGER PRIMARY KEY", devices(access.All(), hwkey.Filter{
			Firmware: new(string), Owned: new(bool), Enrolled: new(bool), SeenBefore: from, SeenFrom: from, SecretsBefore: from, Model: "x",
		})},
		{"hwkeys_organization ", devices(org, hwkey.Filter{Firmware: new(string), Owned: new(bool), SecretsBefore: from})},
		{"hwkeys_status ", devices(access.All(), hwkey.Filter{Enrolled: new(bool), Status: hwkey.Assigned})},
		{"u USING INTEGER PRIMARY KEY", users(access.All(), account.UserFilter{Tokens: new(bool), State: account.YetInvited})},
		{"users_organization ", users(org, account.UserFilter{Tokens: new(bool), State: account.NeverSignedIn})},
		{"u USING INTEGER PRIMARY KEY", users(access.All(), account.UserFilter{})},
		{"users_organization ", users(org, account.UserFilter{})},
		{"users_role ", users(access.All(), account.UserFilter{Role: access.User})},
		{"users_organization_role ", users(org, account.UserFilter{Role: access.User, IsActive: pointerTo(true)})},
		{"users_inactive", users(access.All(), account.UserFilter{IsActive: new(bool)})},
		{"users_organization_inactive ", users(org, account.UserFilter{IsActive: new(bool)})},
		{"users_locked", users(access.All(), account.UserFilter{Locked: pointerTo(true)})},
		{"users_locked", users(org, account.UserFilter{Locked: pointerTo(true), Role: access.User, IsActive: pointerTo(true)})},
		{"u USING INTEGER PRIMARY KEY", users(access.All(), account.UserFilter{Locked: new(bool)})},
		{"u USING INDEX users_username ", users(access.All(), account.UserFilter{Sort: "username", Role: access.User})},
		{"u USING INDEX users_organization_username ", users(org, account.UserFilter{Sort: "-username"})},
		{"u USING INDEX users_role (role>?", users(access.All(), account.UserFilter{Sort: "role", IsActive: pointerTo(true)})},
		{"u USING INDEX users_organization_role (organization_id=? AND role<?", users(org, account.UserFilter{Sort: "-role"})},
		{"users_organization_role (organization_id=? AND role=? AND id>", users(org, account.UserFilter{Sort: "role", Role: access.User})},
		{"u USING INTEGER PRIMARY KEY (rowid>", users(access.All(), account.UserFilter{Sort: "created"})},
		{"hwkeys_owner ", func() error { _, err := db.TokensOf(t.Context(), []int64{1, 2, 3}); return err }},
		{"o USING INDEX sqlite_autoindex_organizations_1 (name_key<", organizations(account.OrganizationFilter{Sort: "-name"})},
		{"sessions_user ", sessions(access.All())},
		{"sessions_user ", sessions(org)},
		{"sessions_user ", sessions(own)},
		{"c USING INTEGER PRIMARY KEY", certificates(access.All(), cert.Filter{})},
		{"certificates_organization ", certificates(org, cert.Filter{Status: cert.Issued})},
		{"certificates_organization (organization_id=? AND id>", certificates(org, cert.Filter{Sort: cert.OldestFirst})},
		{"certificates_revoked (id>", certificates(access.All(), cert.Filter{Status: cert.Revoked, Sort: cert.OldestFirst})},
		{"certificates_owner ", certificates(own, cert.Filter{OrganizationID: &one})},
		{"certificates_name (common_name_key", certificates(access.All(), cert.Filter{Sort: cert.NamesFirst})},
		{"certificates_hwkey ", certificates(org, cert.Filter{HWKeySerial: "x"})},
		{"certificates_issued_ends ", certificates(org, cert.Filter{Status: cert.Issued, ExpiresBefore: time.Now()})},
		{"certificates_unconfirmed_ends", certificates(org, cert.Filter{Installed: new(bool)})},
		{"certificates_unconfirmed_ends", certificates(access.All(), cert.Filter{Installed: new(bool), Status: cert.Issued})},
		{"certificates_organization ", certificates(org, cert.Filter{Installed: pointerTo(true)})},
		{"certificates_revoked", certificates(access.All(), cert.Filter{Status: cert.Revoked})},
		{"certificates_organization_revoked ", certificates(org, cert.Filter{Status: cert.Revoked})},
		{"certificates_unpublished", func() error { _, err := db.UnpublishedRevocations(t.Context(), 0, 10); return err }},
		{"audit_entries_at ", entries(access.All(), audit.Filter{})},
		{"audit_entries_organization ", entries(org, audit.Filter{})},
		{"audit_entries_at (at>? AND at<?)", entries(access.All(), audit.Filter{From: from, To: to})},
		{"audit_entries_organization (organization_id=? AND at>? AND at<?)", entries(org, audit.Filter{From: from, To: to})},
		{"audit_entries_actor_id ", entries(own, audit.Filter{OrganizationID: &one})},
		{"audit_entries_actor ", entries(org, audit.Filter{Actor: "x"})},
		{"k USING INTEGER PRIMARY KEY", keys(access.All())},
		{"api_keys_organization ", keys(org)},
		{"audit_entries_denied ", entries(access.All(), audit.Filter{Outcome: audit.Denied})},
		{"audit_entries_organization_denied ", entries(org, audit.Filter{Outcome: audit.Denied})},
		{"m USING INTEGER PRIMARY KEY", mails(mail.Filter{})},
		{"mail_outbox_status ", mails(mail.Filter{Status: mail.Failed})},
		{"mail_outbox_due ", func() error { _, err := db.ClaimMail(t.Context(), time.Now(), time.Now(), "", 10); return err }},
	} {
		t.Run(fmt.Sprint(i, " ", c.index), func(t *testing.T) {
			if err := c.list(); err != nil {
				t.Fatal(err)
			}
			checkPlan(t, db, c.index, r.query, r.args)
		})
	}
	if db.engine != onPostgres { // PostgreSQL may not sort here
		plansThatSort(t, db, r)
	}
	for _, c := range []struct {
		index string
		scope access.Scope
	}{{"audit_entries_action ", access.All()}, {"audit_entries_organization_action ", org}} {
		query, args := auditQuery(c.scope, audit.Filter{}, []string{"a.a", "a.b"}, nil, &position{1, 1}, 50)
		if db.engine == onPostgres {
			continue // sorts the pages of the actions together
		}
		if plan := explain(t, db, query, args); strings.Count(plan, c.index) != 2 || strings.Contains(plan, "SCAN e") {
			t.Errorf("want %s for each action:\n%s\n%s", c.index, query, plan)
		}
	}
}

// plansThatSort checks that only few rows, found by an index, are sorted: a token's history, and
// the certificates that end within a window.
func plansThatSort(t *testing.T, db *DB, r *recorder) {
	t.Helper()
	want := func(index, query string, args []any) {
		if plan := explain(t, db, query, args); !strings.Contains(plan, index) || strings.Contains(plan, "SCAN e") {
			t.Errorf("want index %s:\n%s\n%s", index, query, plan)
		}
	}
	for _, s := range []access.Scope{access.All(), {Reach: access.Organization, OrganizationID: 1}, {Reach: access.Own, UserID: 1}} {
		must.Get(db.DeviceHistory(t.Context(), s, "1", page.Request{Limit: 50, Before: 1}))(t)
		want("audit_entries_target ", r.query, r.args)
	}
	for _, s := range []access.Scope{access.All(), {Reach: access.Organization, OrganizationID: 1}} {
		had := []period{{"1", 1, 2}, {"2", 1, 3}}
		query, args := auditQuery(s, audit.Filter{User: 1}, nil, had, &position{1, 1}, 50)
		want("audit_entries_actor_id ", query, args)
		for _, f := range []audit.Filter{{Target: "x", Actor: "y"}, {User: 1}, {User: 1, Target: "x"}} {
			query, args = auditQuery(s, f, nil, had, &position{1, 1}, 50)
			want("audit_entries_target ", query, args)
		}
	}
	must.Get(db.ListDevices(t.Context(), access.All(), hwkey.Filter{ExpiringDays: 30}, page.Request{Limit: 50}))(t)
	want("certificates_issued_ends ", r.query, r.args)
	must.Get(db.ListUsers(t.Context(), access.All(), account.UserFilter{ExpiringDays: 30}, page.Request{Limit: 50}))(t)
	want("certificates_issued_ends ", r.query, r.args)
	for _, query := range []string{untold, came} {
		want("certificates_issued_ends ", query, []any{int64(1), int64(1)})
	}
}

// populate makes an organization, an account and a token, the first ones.
func populate(t *testing.T, db *DB) int64 {
	t.Helper()
	entry := audit.Entry{Action: "x.y", Outcome: audit.Success, Actor: audit.System}
	o := must.Get(db.InsertOrganization(t.Context(), account.Organization{Name: "a", IsActive: true}, entry))(t)
	u := account.User{Username: "u", Email: "u@a.example", Role: access.User, OrganizationID: &o.ID, IsActive: true, AuthSource: account.Local}
	u = must.Get(db.InsertUser(t.Context(), u, entry))(t)
	d := hwkey.Device{Serial: "1", Status: hwkey.Assigned, OrganizationID: &o.ID, OwnerID: &u.ID}
	d = must.Get(db.InsertDevice(t.Context(), d, entry))(t)
	if o.ID != 1 || u.ID != 1 || d.ID != 1 {
		t.Fatalf("the first ones have the numbers %d, %d, %d", o.ID, u.ID, d.ID)
	}
	return o.ID
}

// onBoth runs a test of plans on each engine. PostgreSQL plans by statistics, and has none of empty
// tables: which of several indexes it takes there says little. So it may take any, but is kept from
// sorting and from reading whole tables, and must still find a plan that does neither.
func onBoth(t *testing.T, test func(t *testing.T, db *DB)) {
	t.Helper()
	for name, open := range map[string]func(*testing.T) *DB{"sqlite": setup, "postgres": setupPlanner} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

func setupPlanner(t *testing.T) *DB {
	t.Helper()
	db := setupPostgres(t)
	must.OK(t, db.reads.Close())
	db.reads = db.server.pool(db.config, 2, use{parameters: map[string]string{
		"enable_seqscan": "off", "enable_sort": "off", "enable_incremental_sort": "off", "enable_bitmapscan": "off",
		"enable_hashjoin": "off", "enable_mergejoin": "off", "enable_hashagg": "off", "enable_material": "off",
	}})
	db.read = unprepared(onPostgres, db.reads)
	return db
}

func checkPlan(t *testing.T, db *DB, index, query string, args []any) {
	t.Helper()
	plan := explain(t, db, query, args)
	if db.engine == onPostgres {
		checkPostgresPlan(t, query, plan)
	} else if !strings.Contains(plan, index) || strings.Contains(plan, "TEMP B-TREE") {
		t.Errorf("want index %s and no sorting:\n%s\n%s", index, query, plan)
	}
}

func checkPostgresPlan(t *testing.T, query, plan string) {
	t.Helper()
	if strings.Contains(plan, "Sort") || strings.Contains(plan, "Seq Scan") || !strings.Contains(plan, "Index ") {
		t.Errorf("want an index, and no sorting:\n%s\n%s", query, plan)
	}
}

func explain(t *testing.T, db *DB, query string, args []any) string {
	t.Helper()
	how, scan := "EXPLAIN QUERY PLAN ", func(row scanner) (string, error) {
		var id, parent, unused int
		var detail string
		err := row.Scan(&id, &parent, &unused, &detail)
		return detail, err
	}
	if db.engine == onPostgres {
		how, scan = "EXPLAIN (COSTS OFF) ", scanText
	}
	lines, err := queryAll(t.Context(), db.reads, scan, how+query, args...)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}
