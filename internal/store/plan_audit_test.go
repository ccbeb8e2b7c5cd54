package store

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/page"
)

// TestPlansOfTimes: a range of time bounds the index from both sides, with
// whatever else is filtered, so that one far back costs what the newest does.
func TestPlansOfTimes(t *testing.T) {
	t.Parallel()
	onBoth(t, plansOfTimes)
}

func plansOfTimes(t *testing.T, db *DB) {
	if err := db.AppendAudit(t.Context(), audit.Entry{Action: "a.b", Outcome: audit.Success}); err != nil {
		t.Fatal(err)
	}
	r := &recorder{DBTX: db.reads}
	db.read = newStatements(r)
	org, own := access.Scope{Reach: access.Organization, OrganizationID: 1}, access.Scope{Reach: access.Own, UserID: 1}
	from, to := time.UnixMicro(1), time.UnixMicro(2)
	for i, c := range []struct {
		index string
		scope access.Scope
		f     audit.Filter
	}{
		{"audit_entries_at (", access.All(), audit.Filter{}},
		{"audit_entries_organization (organization_id=? AND ", org, audit.Filter{}},
		{"audit_entries_actor_id (actor_id=? AND ", own, audit.Filter{}},
		{"audit_entries_actor (actor_key=? AND ", org, audit.Filter{Actor: "x"}},
		{"audit_entries_target (target_key=? AND ", own, audit.Filter{Target: "x"}},
		{"audit_entries_failed (", access.All(), audit.Filter{Outcome: audit.Failure}},
		{"audit_entries_organization_failed (organization_id=? AND ", org, audit.Filter{Outcome: audit.Failure}},
	} {
		c.f.From, c.f.To = from, to
		for _, before := range []int64{0, 1} {
			for _, oldest := range []bool{false, true} {
				t.Run(fmt.Sprint(i, " ", before, " ", oldest), func(t *testing.T) {
					c.f.OldestFirst = oldest
					if _, err := db.ListAudit(t.Context(), c.scope, c.f, page.Request{Limit: 50, Before: before}); err != nil {
						t.Fatal(err)
					}
					checkPlan(t, db, c.index+"at>? AND at<?)", r.query, r.args)
				})
			}
		}
	}
	query, args := auditQuery(org, audit.Filter{From: from}, []string{"a.a", "a.b"}, &position{2, 1}, 50)
	want := "audit_entries_organization_action (organization_id=? AND action=? AND at>? AND at<?)"
	if db.engine == onPostgres {
		return // sorts the pages of the actions together
	}
	if plan := explain(t, db, query, args); strings.Count(plan, want) != 2 || strings.Contains(plan, "SCAN e") {
		t.Errorf("want %s for each action:\n%s\n%s", want, query, plan)
	}
}
