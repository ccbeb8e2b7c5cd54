package store_test

import (
	"path/filepath"
	"testing"

	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/store/storebench"
	"github.com/keyward/keyward/internal/store/storetest"
	"github.com/keyward/keyward/test/must"
)

// BenchmarkRestore fills an empty database of each engine from a backup, and restores the
// same backup over it again.
func BenchmarkRestore(b *testing.B) {
	size := storebench.Size{
		Organizations: 10, Users: 1000, Devices: 10_000, Certificates: 10_000, Audit: 100_000, Now: storetest.Now.UnixMicro(),
	}
	path := filepath.Join(b.TempDir(), "keyward.db")
	must.OK(b, storebench.Fill(b.Context(), path, size))
	execute(b, sqlite(b, path), others...)
	from := must.Get(store.OpenSQLiteReader(b.Context(), path))(b)
	defer func() { must.OK(b, from.Close()) }()
	for name, open := range map[string]func(*testing.B) *store.DB{
		"sqlite": func(b *testing.B) *store.DB {
			return must.Get(store.OpenSQLite(b.Context(), filepath.Join(b.TempDir(), "keyward.db"), store.Options{}))(b)
		},
		"postgresql": func(b *testing.B) *store.DB {
			return must.Get(store.OpenPostgres(b.Context(), store.Server{URL: secret.New(store.MigratedURL(b))}, store.Options{}))(b)
		},
	} {
		for kind, before := range map[string]int{"bare": 0, "living": 1} {
			b.Run(name+" "+kind, func(b *testing.B) {
				rows := int64(0)
				o := asked()
				o.Progress = func(n int64) { rows = n }
				b.ReportAllocs()
				b.StopTimer()
				for range b.N {
					db := open(b)
					for range before {
						must.Get(db.Restore(b.Context(), from, asked()))(b)
					}
					b.StartTimer()
					must.Get(db.Restore(b.Context(), from, o))(b)
					b.StopTimer()
					must.OK(b, db.Close())
				}
				b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
			})
		}
	}
}
