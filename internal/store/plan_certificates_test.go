package store

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/page"
)

// TestPlansByEnd: a list by end starts, on its first page and deep in it, at a place of an index
// with only the rows of the status and the organization, and stops where they end.
func TestPlansByEnd(t *testing.T) {
	t.Parallel()
	onBoth(t, plansByEnd)
}

func plansByEnd(t *testing.T, db *DB) {
	one, no := int64(1), false
	org := access.Scope{Reach: access.Organization, OrganizationID: 1}
	now, soon := time.Now(), time.Now().Add(30*24*time.Hour)
	for _, c := range []struct {
		plan   string
		scope  access.Scope
		filter cert.Filter
	}{
		{"INDEX certificates_not_after", access.All(), cert.Filter{}},
		{"certificates_organization_ends (organization_id=?", org, cert.Filter{}},
		{"certificates_issued_ends (not_after", access.All(), cert.Filter{Status: cert.Issued}},
		{"certificates_issued_ends (not_after>? AND not_after<?)", access.All(), cert.Filter{Status: cert.Issued, ExpiresBefore: soon}},
		{"certificates_issued_ends (not_after", access.All(), cert.Filter{Status: cert.Expired}},
		{"certificates_issued_ends (not_after", access.All(), cert.Filter{Status: cert.Expired, Lapsed: true}},
		{"certificates_issued_ends (not_after>? AND not_after<?)", access.All(), cert.Filter{
			Status: cert.Issued, ExpiresFrom: now, ExpiresBefore: soon, Attested: &no,
		}},
		{"certificates_revoked_ends", access.All(), cert.Filter{Status: cert.Revoked}},
		{"certificates_report_ends (organization_id=? AND not_after", org, cert.Filter{Status: cert.Issued}},
		{"certificates_report_ends (organization_id=? AND not_after", org, cert.Filter{Status: cert.Expired}},
		{"certificates_report_ends (organization_id=? AND not_after", org, cert.Filter{Status: cert.Expired, Lapsed: true}},
		{"certificates_organization_revoked_ends (organization_id=?", access.All(), cert.Filter{Status: cert.Revoked, OrganizationID: &one}},
		{"certificates_unconfirmed_ends", access.All(), cert.Filter{Installed: &no}},
		{"certificates_unconfirmed_ends (not_after", org, cert.Filter{Installed: &no, Status: cert.Issued}},
		{"certificates_unconfirmed_ends", org, cert.Filter{Installed: &no, Status: cert.Revoked}},
	} {
		for _, sort := range []page.Sort{cert.EndsFirst, cert.EndsLast} {
			for _, last := range []*certificateEnd{nil, {micros(now), 1000}} {
				c.filter.Now, c.filter.Sort = now, sort
				query, args, _ := certificatePage(c.scope, c.filter, page.Request{Limit: 50}, order{}, last)
				t.Run(fmt.Sprint(c.plan, " ", sort, " ", last != nil), func(t *testing.T) {
					checkPlan(t, db, c.plan, query, args)
					begin := map[page.Sort]string{cert.EndsFirst: "not_after>?", cert.EndsLast: "not_after<?"}[sort]
					if plan := explain(t, db, query, args); last != nil && db.engine == onSQLite && !strings.Contains(plan, begin) {
						t.Errorf("the page does not begin at its cursor:\n%s\n%s", query, plan)
					}
				})
			}
		}
	}
}

// TestPlanOfAKey: each signing looks a compromised key up in an index of only those keys, however
// many certificates a key has.
func TestPlanOfAKey(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, db *DB) {
		r := &recorder{DBTX: db.reads}
		db.read = newStatements(r)
		if _, err := db.KeyCompromised(t.Context(), "x"); err != nil {
			t.Fatal(err)
		}
		checkPlan(t, db, "INDEX certificates_compromised (public_key_sha256=?", r.query, r.args)
		csr := cert.CSR{HWKeySerial: "x", Slot: "9a", SHA256: "x"}
		if _, err := db.LiveByCSR(t.Context(), csr, "x", time.Now()); !fault.Is(err, fault.NotFound) {
			t.Fatal(err)
		}
		checkPlan(t, db, "INDEX certificates_compromised (public_key_sha256=?", r.query, r.args)
		x := &tx{others: db.engine == onPostgres}
		for _, c := range []cert.Certificate{{OwnerID: pointerTo(int64(1))}, {}} {
			query, args := x.signingStanding(c)
			checkPlan(t, db, "INDEX certificates_compromised (public_key_sha256=?", query, args)
		}
	})
}
