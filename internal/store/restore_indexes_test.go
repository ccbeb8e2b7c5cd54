package store_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/store/sqlitetest"
	"github.com/keyward/keyward/internal/store/storebench"
	"github.com/keyward/keyward/internal/store/storetest"
	"github.com/keyward/keyward/test/must"
)

// TestRestoreMakesIndexes: after a restore SQLite's file has the same indexes as before, in the
// same order, and intact.
func TestRestoreMakesIndexes(t *testing.T) {
	t.Parallel()
	from := filepath.Join(t.TempDir(), "keyward.db")
	must.OK(t, storebench.Fill(t.Context(), from, storebench.Size{
		Organizations: 2, Users: 5, Devices: 20, Certificates: 200, Releases: 30, Audit: 50, Now: storetest.Now.UnixMicro(),
	}))
	backup := dumped(t, open(t, from, store.Options{Now: standing}))

	path := sqlitetest.Put(t, filepath.Join(t.TempDir(), "keyward.db"))
	db, raw := open(t, path, store.Options{Now: standing}), sqlite(t, path)
	indexes := func() string {
		rows := must.Get(raw.QueryContext(t.Context(),
			"SELECT sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY tbl_name, rowid"))(t)
		defer rows.Close()
		var list []string
		for rows.Next() {
			var text string
			must.OK(t, rows.Scan(&text))
			list = append(list, text)
		}
		must.OK(t, rows.Err())
		return strings.Join(list, "\n")
	}
	before := indexes()
	must.Get(db.Restore(t.Context(), backup, asked()))(t)
	if after := indexes(); after != before || strings.Count(before, "\n") < 40 {
		t.Errorf("before\n%s\nafter\n%s", before, after)
	}
	var said string
	must.OK(t, raw.QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&said))
	if said != "ok" {
		t.Error(said)
	}
}
