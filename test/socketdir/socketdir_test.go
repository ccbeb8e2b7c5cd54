package socketdir_test

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/socketdir"
)

// TestParent: a suitable directory is used, and /tmp instead of an unsuitable one.
func TestParent(t *testing.T) {
	long := "/" + strings.Repeat("a", 50)
	for dir, want := range map[string]string{
		"/var/tmp": "/var/tmp", long[:50]: long[:50], long: "/tmp", "temporary": "/tmp", "/var/tmp,/tmp": "/tmp",
	} {
		t.Setenv("TMPDIR", dir)
		if got := socketdir.Parent(); got != want {
			t.Errorf("TMPDIR=%s: %s, want %s", dir, got, want)
		}
	}
}

// TestNew: a socket fits there, wherever temporary files are.
func TestNew(t *testing.T) {
	long := filepath.Join(t.TempDir(), strings.Repeat("a", 100))
	must.OK(t, os.Mkdir(long, 0o700))
	t.Setenv("TMPDIR", long)
	ln := must.Get((&net.ListenConfig{}).Listen(t.Context(), "unix", filepath.Join(socketdir.New(t), "socket")))(t)
	must.OK(t, ln.Close())
}
