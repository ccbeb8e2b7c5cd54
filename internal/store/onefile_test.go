package store_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/test/must"
)

// TestOneFile: after an orderly stop the database file alone is complete, even if something else
// reads it as the server stops.
func TestOneFile(t *testing.T) {
	t.Parallel()
	for name, watched := range map[string]bool{"alone": false, "while another reads": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "keyward.db")
			db := must.Get(store.OpenSQLite(t.Context(), path, store.Options{}))(t)
			if watched {
				reader := must.Get(store.OpenSQLiteReader(t.Context(), path))(t)
				must.Get(reader.SchemaVersion(t.Context()))(t)
				defer func() { must.OK(t, reader.Close()) }()
			}
			must.OK(t, db.AppendAudit(t.Context(), audit.Entry{Action: "one.file", Outcome: audit.Success}))
			if n := len(entriesOf(t, db)); n != 1 {
				t.Fatalf("%d entries", n)
			}
			must.OK(t, db.Close())

			info, err := os.Stat(path + "-wal")
			if !watched && !errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() > 0 {
				t.Errorf("a write-ahead log is left: %v, %v", info, err)
			}
			copied := filepath.Join(t.TempDir(), "copy.db")
			must.OK(t, os.WriteFile(copied, must.Get(os.ReadFile(path))(t), 0o600))
			if n := len(entriesOf(t, open(t, copied, store.Options{Existing: true}))); n != 1 {
				t.Errorf("the copy has %d entries", n)
			}
		})
	}
}

func entriesOf(t *testing.T, db *store.DB) []audit.Entry {
	t.Helper()
	return must.Get(db.ListAudit(t.Context(), access.All(), audit.Filter{Action: "one.file"}, page.Request{Limit: 10}))(t).Items
}
