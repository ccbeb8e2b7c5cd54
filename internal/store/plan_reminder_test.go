package store

import (
	"strings"
	"testing"
	"time"
)

// TestPlansOfReminders: who looks for certificates that end reads those of the weeks around
// them in an index, and for each those of its token, however many there are.
func TestPlansOfReminders(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, db *DB) {
		now := micros(time.Now())
		for name, c := range map[string]struct {
			query string
			args  []any
		}{
			"untold": {untold, []any{now, 100}}, "came": {came, []any{now, now}},
		} {
			plan := explain(t, db, c.query, c.args)
			if strings.Contains(plan, "Seq Scan on certificates") || strings.Contains(plan, "SCAN c ") {
				t.Errorf("%s reads all certificates:\n%s", name, plan)
			}
			for _, index := range []string{"certificates_issued_ends (not_after>? AND not_after<?)", "certificates_hwkey (hwkey_id=? AND id>?)"} {
				if db.engine == onSQLite && !strings.Contains(plan, index) {
					t.Errorf("%s: want %s:\n%s", name, index, plan)
				}
			}
		}
	})
}
