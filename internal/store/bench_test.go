package store_test

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/store/storebench"
)

// filled opens a database of that size.
func filled(b *testing.B, size storebench.Size) *store.DB {
	b.Helper()
	ctx := b.Context()
	path := filepath.Join(b.TempDir(), "keyward.db")
	size.Now = time.Now().UnixMicro()
	if err := storebench.Fill(ctx, path, size); err != nil {
		b.Fatal(err)
	}
	db, err := store.OpenSQLite(ctx, path, store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := db.Close(); err != nil {
			b.Error(err)
		}
	})
	return db
}

// BenchmarkAdmitted is what checking the actor once more costs a write.
func BenchmarkAdmitted(b *testing.B) {
	const sessions = 100_000
	db := filled(b, storebench.Size{Organizations: 100, Users: 20_000, Sessions: sessions})
	_, u, err := db.Authenticate(b.Context(), 4711)
	if err != nil {
		b.Fatal(err)
	}
	ctx := access.Admit(b.Context(), access.Admission{Actor: access.Actor{
		UserID: u.ID, SessionID: 4711, Role: u.Role, OrganizationID: u.OrganizationID,
	}})
	b.ReportAllocs()
	for b.Loop() {
		if err := db.Admitted(ctx); err != nil {
			b.Fatal(err)
		}
	}
}

// percentiles runs b.N calls and reports the median and the 99th percentile.
func percentiles(b *testing.B, call func() error) {
	b.Helper()
	took := make([]time.Duration, 0, b.N)
	b.ResetTimer()
	for range b.N {
		began := time.Now()
		if err := call(); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}
