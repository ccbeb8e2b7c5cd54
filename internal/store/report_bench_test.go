package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/report"
	"github.com/keyward/keyward/internal/store/storebench"
)

// BenchmarkCompliance makes the whole report, and that of one organization,
// of fleets of several sizes: as many certificates and half as many releases
// as tokens, and a fifth of people.
func BenchmarkCompliance(b *testing.B) {
	for _, c := range []struct{ tokens, organizations int }{{100_000, 10}, {1_000_000, 1}, {1_000_000, 500}} {
		db := filled(b, storebench.Size{
			Organizations: c.organizations, Users: c.tokens / 5, Devices: c.tokens, Certificates: c.tokens, Releases: c.tokens / 2,
		})
		now := time.Now()
		all := report.Query{
			ChangedBefore: now.Add(time.Hour), Now: now, EndsUntil: now.Add(30 * 24 * time.Hour), FirstWeek: report.Monday(now),
			From: now.Add(-30 * 24 * time.Hour), To: now, ListLimit: report.ListLimit, ListTotal: report.ListTotal,
		}
		one := all
		id := int64(1)
		one.OrganizationID = &id
		for name, q := range map[string]report.Query{"all": all, "one": one} {
			b.Run(fmt.Sprintf("tokens=%d/organizations=%d/%s", c.tokens, c.organizations, name), func(b *testing.B) {
				percentiles(b, func() error {
					_, err := db.Compliance(b.Context(), q)
					return err
				})
			})
		}
	}
}
