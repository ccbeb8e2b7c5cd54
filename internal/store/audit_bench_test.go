package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/audit/line"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/store/storebench"
)

// BenchmarkExport writes a whole log, and parts of it, to nowhere.
func BenchmarkExport(b *testing.B) {
	const size = 200_000
	db := filled(b, storebench.Size{Organizations: 10, Users: 1000, Audit: size})
	for _, c := range []struct {
		name   string
		scope  access.Scope
		filter audit.Filter
	}{
		{"all", access.All(), audit.Filter{}},
		{"organization", access.Scope{Reach: access.Organization, OrganizationID: 3}, audit.Filter{}},
		{"actions", access.All(), audit.Filter{Action: "hwkey."}},
		{"organization+actions", access.Scope{Reach: access.Organization, OrganizationID: 3}, audit.Filter{Action: "hwkey."}},
	} {
		for _, format := range []line.Format{line.NDJSON, line.CSV} {
			b.Run(c.name+"/"+string(format), func(b *testing.B) {
				rows := 0
				for range b.N {
					err := line.Export(b.Context(), db, c.scope, c.filter, format, func(chunk []byte) error {
						for _, ch := range chunk {
							if ch == '\n' {
								rows++
							}
						}
						return nil
					})
					if err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(rows)/b.Elapsed().Seconds(), "rows/s")
			})
		}
	}
}

// BenchmarkAuditRange reads pages of a time range at the head and far back.
func BenchmarkAuditRange(b *testing.B) {
	for _, size := range []int{10_000, 1_000_000} {
		now := time.Now()
		db := filled(b, storebench.Size{Organizations: 10, Users: 1000, Audit: size})
		at := func(part float64) time.Time { return now.Add(time.Duration(part*float64(size)) * time.Microsecond) }
		organization := access.Scope{Reach: access.Organization, OrganizationID: 3}
		for name, f := range map[string]audit.Filter{
			"far back": {From: at(0.1), To: at(0.2)}, "far back, one actor": {To: at(0.2), Actor: "user33"},
			"far back, actions": {To: at(0.2), Action: "hwkey."},
		} {
			for who, scope := range map[string]access.Scope{"all": access.All(), "organization": organization} {
				b.Run(fmt.Sprintf("audit=%d/%s/%s", size, name, who), func(b *testing.B) {
					percentiles(b, func() error {
						_, err := db.ListAudit(b.Context(), scope, f, page.Request{Limit: 50})
						return err
					})
				})
			}
		}
	}
}
