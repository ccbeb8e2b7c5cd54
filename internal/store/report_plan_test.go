package store

import (
	"context"
	"database/sql"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/report"
)

// collector keeps every query with its arguments.
type collector struct {
	querier
	queries []string
	args    [][]any
}

func (c *collector) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	c.queries, c.args = append(c.queries, query), append(c.args, args)
	return c.querier.QueryContext(ctx, query, args...)
}

// TestReportPlans: the report counts in indexes that hold all that it asks, and lists in an index's
// order. The planner has no statistics.
func TestReportPlans(t *testing.T) {
	t.Parallel()
	db := setup(t)
	id := int64(1)
	for _, organization := range []*int64{nil, &id} {
		col := &collector{querier: db.reads}
		now := time.Now()
		c := &compliance{from: col, left: 1000, place: map[int64]int{}, q: report.Query{
			OrganizationID: organization, ChangedBefore: now, Now: now, EndsUntil: now, From: now, To: now, ListLimit: 100, ListTotal: 1000}}
		one := emptyOrganization()
		one.ID = &id
		one.Tokens, one.Old.Count, one.Expiring.Count, one.Expired.Count, one.Tokenless.Count, one.Releases.Total = 1, 1, 1, 1, 1, 1
		c.out = []report.OrganizationReport{one}
		for _, step := range []func(context.Context) error{c.byStatus, c.counts, c.proofs, c.lists} {
			if err := step(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if len(col.queries) != 13 {
			t.Fatalf("%d queries, want 13", len(col.queries))
		}
		for i, query := range col.queries {
			plan := explain(t, db, query, col.args[i])
			lists := i >= 9                                                             // tokens, certificates, people
			lapsed := strings.Contains(query, "NOT EXISTS (SELECT 1 FROM certificates") // few: their rows are read
			if lapsed && !strings.Contains(plan, "not_after<?") {
				t.Errorf("it begins with more than what has expired:\n%s\n%s", query, plan)
			}
			if !lists && !lapsed && strings.Count(plan, " USING ") != strings.Count(plan, " USING COVERING INDEX ") {
				t.Errorf("it reads the table:\n%s\n%s", query, plan)
			}
			for line := range strings.Lines(plan) {
				if strings.Contains(line, "SCAN") && !strings.Contains(line, "INDEX") {
					t.Errorf("it reads a whole table:\n%s\n%s", query, plan)
				}
				if lists && strings.Contains(line, "TEMP B-TREE") {
					t.Errorf("it sorts:\n%s\n%s", query, plan)
				}
			}
			// By release time the organizations are mixed, but few.
			if strings.Contains(plan, "TEMP B-TREE FOR GROUP BY") && !strings.Contains(query, "GROUP BY e.organization_id") && !lapsed {
				t.Errorf("it groups by sorting:\n%s\n%s", query, plan)
			}
		}
	}
}
