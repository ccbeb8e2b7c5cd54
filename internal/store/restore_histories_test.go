//go:build exhaustive

package store_test

import (
	"flag"
	"testing"

	"github.com/keyward/keyward/internal/store/storetest"
)

var histories = flag.Int("histories", 10, "how many random histories TestRestoreHistories has; a tenth of them on PostgreSQL")

// TestRestoreHistories: whatever has happened, nothing is lost, and nobody can do more.
func TestRestoreHistories(t *testing.T) {
	t.Parallel()
	for name, open := range restorables {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			most := *histories
			if name == "postgresql" {
				most = (most + 9) / 10
			}
			storetest.RunRestoreHistories(t, most, open)
		})
	}
}
