package sqldump_test

import (
	"io"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/store/storebench"
	"github.com/keyward/keyward/test/must"
)

// BenchmarkDump is a dump of many audit entries, beside that of SQLite's own program.
func BenchmarkDump(b *testing.B) {
	large := storebench.Size{Organizations: 10, Users: 100, Devices: 1000, Audit: 100_000, Now: size.Now}
	path := filepath.Join(b.TempDir(), "keyward.db")
	must.OK(b, storebench.Fill(b.Context(), path, large))
	b.Run("ours", func(b *testing.B) {
		db := must.Get(store.OpenSQLiteReader(b.Context(), path))(b)
		defer func() { must.OK(b, db.Close()) }()
		b.ReportAllocs()
		for b.Loop() {
			must.Get(db.Dump(b.Context(), io.Discard, worthKeeping))(b)
		}
	})
	b.Run("sqlite3", func(b *testing.B) {
		for b.Loop() {
			must.OK(b, exec.CommandContext(b.Context(), "sqlite3", path, ".dump").Run())
		}
	})
}
