// Package socketdir provides directories for Unix sockets to tests. A socket's path is
// limited to 107 bytes (unix(7)), and TMPDIR may be longer.
package socketdir

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// longest leaves 57 bytes for directory and socket.
const longest = 50

// Parent returns where such directories are: the directory for temporary files, or /tmp
// if that one is long, relative, or has a comma in its name, which separates
// directories in PostgreSQL's lists.
func Parent() string {
	dir := os.TempDir()
	if len(dir) > longest || !filepath.IsAbs(dir) || strings.Contains(dir, ",") {
		return "/tmp"
	}
	return dir
}

// New creates a directory, which is removed with the test.
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
