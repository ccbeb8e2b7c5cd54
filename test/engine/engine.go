// Package engine opens the real store and the real vault for tests of what uses them.
package engine

import (
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/vault/embedded"
	"github.com/keyward/keyward/test/must"
)

// Store is the Database of a directory, open until the test's end.
func Store(t testing.TB, dir string, o store.Options) *store.DB {
	t.Helper()
	db := must.Get(Open(t, dir, o))(t)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// Open is Store for callers who close it themselves.
func Open(t testing.TB, dir string, o store.Options) (*store.DB, error) {
	t.Helper()
	if url := Database(t, dir); url != "" {
		return store.OpenPostgres(t.Context(), store.Server{URL: secret.New(url)}, o)
	}
	return store.OpenSQLite(t.Context(), filepath.Join(dir, "keyward.db"), o)
}

// Vault is the embedded engine in a directory, with a CA whose key is fast to generate,
// until the test's end. A nil clock means the machine's.
func Vault(t testing.TB, dir string, now func() time.Time) *embedded.Engine {
	t.Helper()
	e := must.Get(embedded.Open(t.Context(), embedded.Options{
		Path: filepath.Join(dir, "vault.db"), Seal: embedded.FileSeal(filepath.Join(dir, "seal.key")),
		PublicBase: "http://localhost", CAKeyType: piv.ECP256, Logger: slog.New(slog.DiscardHandler), Now: now,
	}))(t)
	t.Cleanup(func() { _ = e.Close() })
	return e
}
