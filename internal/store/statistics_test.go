package store_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/store/storebench"
)

// TestStatisticsOfALargeTable: what is not counted is told as an estimate,
// and near the truth.
func TestStatisticsOfALargeTable(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "keyward.db")
	if err := storebench.Fill(t.Context(), path, storebench.Size{Organizations: 1, Users: 10_000, Audit: 12_345}); err != nil {
		t.Fatal(err)
	}
	r, err := open(t, path, store.Options{}).Statistics(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range r.Tables {
		switch {
		case table.Name == "audit_entries" && (!table.Estimated || table.Rows != 12_345),
			table.Name == "users" && (table.Estimated || table.Rows != 10_000):
			t.Errorf("%+v", table)
		}
	}
	if r.SizeBytes < 12_345*50 {
		t.Errorf("%d bytes", r.SizeBytes)
	}
}

// BenchmarkStatistics must not grow with the database.
func BenchmarkStatistics(b *testing.B) {
	for _, rows := range []int{20_000, 1_000_000} {
		b.Run(fmt.Sprintf("audit=%d", rows), func(b *testing.B) {
			db := filled(b, storebench.Size{Organizations: 100, Users: 20_000, Sessions: 20_000, Audit: rows})
			b.ResetTimer()
			for b.Loop() {
				if _, err := db.Statistics(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
