package store_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/store/sqlitetest"
	"github.com/keyward/keyward/internal/store/storetest"
)

func TestSQLite(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) storetest.Engine {
		t.Helper()
		return open(t, sqlitetest.Put(t, filepath.Join(t.TempDir(), "keyward.db")), store.Options{Now: func() time.Time { return storetest.Now }})
	})
}

func open(t *testing.T, path string, opts store.Options) *store.DB {
	t.Helper()
	db, err := store.OpenSQLite(t.Context(), path, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}
