package chain_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/store/storebench"
	"github.com/keyward/keyward/test/must"
)

// BenchmarkChain seals a log that was never sealed, and verifies it.
func BenchmarkChain(b *testing.B) {
	const rows = 200_000
	w := setup(b)
	path := filepath.Join(b.TempDir(), "keyward.db")
	if err := storebench.Fill(b.Context(), path,
		storebench.Size{Organizations: 10, Users: 1000, Audit: rows, Now: time.Now().UnixMicro()}); err != nil {
		b.Fatal(err)
	}
	db := must.Get(store.OpenSQLite(b.Context(), path, store.Options{}))(b)
	b.Cleanup(func() { _ = db.Close() })
	began := time.Now()
	must.OK(b, w.newSealer(db, w.vault).Run(b.Context()))
	sealing := float64(rows) / time.Since(began).Seconds()
	anchor := must.Get(chain.VaultAnchor(b.Context(), w.vault))(b)
	b.ResetTimer()
	for range b.N {
		if r, err := chain.Verify(b.Context(), db, anchor); err != nil || r.Entries != rows {
			b.Fatalf("%+v, %v", r, err)
		}
	}
	b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds(), "rows-verified/s")
	b.ReportMetric(sealing, "rows-sealed/s")
}
