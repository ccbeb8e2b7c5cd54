package store_test

import (
	"path/filepath"
	"testing"

	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/store/storebench"
)

// TestStatisticsOfALargeTable: what is not counted is marked as an estimate, and near the truth.
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
