package durable_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/keyward/keyward/internal/durable"
	"github.com/keyward/keyward/test/must"
)

// TestFiles: Replace replaces, Create never does; neither leaves anything else behind.
func TestFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	is := func(when, text string, mode fs.FileMode) {
		t.Helper()
		if got := string(must.Get(os.ReadFile(path))(t)); got != text {
			t.Errorf("%s: %q", when, got)
		}
		if got := must.Get(os.Stat(path))(t).Mode(); got != mode {
			t.Errorf("%s: mode %v", when, got)
		}
		if names := must.Get(os.ReadDir(dir))(t); len(names) != 1 {
			t.Errorf("%s: %v", when, names)
		}
	}
	must.OK(t, durable.Create(path, []byte("first")))
	is("created", "first", 0o600)
	if err := durable.Create(path, []byte("second")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("created again: %v", err)
	}
	is("created again", "first", 0o600)
	must.OK(t, durable.Replace(path, []byte("third"), 0o644))
	is("replaced", "third", 0o644)
	if err := durable.Replace(filepath.Join(dir, "none", "file"), nil, 0o600); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("in no directory: %v", err)
	}
	// A file that cannot be renamed leaves nothing.
	must.OK(t, os.Remove(path))
	must.OK(t, os.Mkdir(path, 0o700))
	if err := durable.Replace(path, nil, 0o600); err == nil {
		t.Error("a directory was replaced")
	}
	if names := must.Get(os.ReadDir(dir))(t); len(names) != 1 {
		t.Errorf("left behind: %v", names)
	}
}

// TestAfterAKill: leftovers of a killed process are overwritten, and links
// among them not followed.
func TestAfterAKill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, other := filepath.Join(dir, "file"), filepath.Join(dir, "other")
	must.OK(t, os.WriteFile(other, []byte("other"), 0o600))
	for what, leave := range map[string]func() error{
		"half a file": func() error { return os.WriteFile(path+".new", []byte("longer than what comes"), 0o400) },
		"a link":      func() error { return os.Symlink(other, path+".new") },
	} {
		must.OK(t, leave())
		must.OK(t, durable.Replace(path, []byte(what), 0o600))
		if got := string(must.Get(os.ReadFile(path))(t)); got != what {
			t.Errorf("%s: %q", what, got)
		}
		if got := must.Get(os.Lstat(path))(t).Mode(); got != 0o600 {
			t.Errorf("%s: mode %v", what, got)
		}
		if got := string(must.Get(os.ReadFile(other))(t)); got != "other" {
			t.Errorf("%s: the other file holds %q", what, got)
		}
		if names := must.Get(os.ReadDir(dir))(t); len(names) != 2 {
			t.Errorf("%s: %v", what, names)
		}
	}
}
