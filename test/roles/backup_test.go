package roles

import (
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/objstore"
	"github.com/keyward/keyward/test/must"
)

// made counts the backups; each has a different second.
var made atomic.Int64

// backupFile returns the key of a new backup in the directory.
func backupFile(t *testing.T, c *fixture, _ *person, _ bool) string {
	t.Helper()
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(made.Add(1)) * time.Second)
	key := objstore.Name{Type: "full", At: at}.Key("")
	folder := filepath.Join(c.data, "backups")
	must.OK(t, os.MkdirAll(folder, 0o700))
	must.OK(t, os.WriteFile(filepath.Join(folder, key), []byte("encrypted"), 0o600))
	return key
}
