// Package sqlitetest gives tests databases that are already migrated. Running every migration for
// every test cost more than most tests themselves, above all with the race detector.
package sqlitetest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/keyward/keyward/internal/store"
)

// empty is the file of a migrated database without rows, made once per test binary.
var empty = sync.OnceValues(func() (raw []byte, err error) {
	dir, err := os.MkdirTemp("", "keyward-empty")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "keyward.db")
	db, err := store.OpenSQLite(context.Background(), path, store.Options{})
	if err != nil {
		return nil, err
	}
	if err := db.Close(); err != nil { // moves everything into the one file
		return nil, err
	}
	return os.ReadFile(path)
})

// Put writes a migrated database without rows to path, unless the file exists. It returns path.
func Put(t testing.TB, path string) string {
	t.Helper()
	raw, err := empty()
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return path
	}
	if err != nil {
		t.Fatal(err)
	}
	_, err = file.Write(raw)
	if err = errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}
