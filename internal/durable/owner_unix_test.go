//go:build unix

package durable_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/keyward/keyward/internal/durable"
	"github.com/keyward/keyward/test/must"
)

// TestForOwner: what root replaces belongs to whoever owns the directory, and nobody else reads it.
func TestForOwner(t *testing.T) {
	t.Parallel()
	dir, owner := t.TempDir(), os.Geteuid()
	if owner == 0 {
		owner = 65534
		must.OK(t, os.Chown(dir, owner, owner))
	}
	path := filepath.Join(dir, "file")
	must.OK(t, os.WriteFile(path, nil, 0o644))
	must.OK(t, durable.ReplaceForOwner(path, []byte("new")))
	info := must.Get(os.Stat(path))(t)
	if of := info.Sys().(*syscall.Stat_t); int(of.Uid) != owner || info.Mode() != 0o600 {
		t.Errorf("it belongs to %d, not %d, and has the mode %v", of.Uid, owner, info.Mode())
	}
	if got := string(must.Get(os.ReadFile(path))(t)); got != "new" {
		t.Errorf("it holds %q", got)
	}
}
