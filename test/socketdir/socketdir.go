// Package socketdir gives tests directories for Unix sockets. The path of a
// socket has 107 bytes at most (unix(7)), and TMPDIR may be longer.
package socketdir

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// longest is what leaves 57 bytes for directory and socket.
const longest = 50

// Parent is where such directories lie: the directory for temporary files, or
// /tmp where that one is long, relative, or has a comma in its name, at which
// PostgreSQL parts lists of directories.
func Parent() string {
	dir := os.TempDir()
	if len(dir) > longest || !filepath.IsAbs(dir) || strings.Contains(dir, ",") {
		return "/tmp"
	}
	return dir
}

// New makes a directory. It goes with the test.
func New(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp(Parent(), "keyward-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}
