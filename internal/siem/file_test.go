package siem

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func (r *received) file(t *testing.T, path string) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for text := range strings.Lines(string(raw)) {
		r.message(strings.TrimSuffix(text, "\n"))
	}
}

func TestFile(t *testing.T) {
	t.Parallel()
	w := setup(t)
	path := filepath.Join(t.TempDir(), "audit.log")
	tail := w.tail(&File{Path: path})
	w.run(tail) // nothing yet
	w.append(atOnce + 3)
	w.run(tail)
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v, %v", info, err)
	}
	// Rotation, twice; then a restart.
	for _, to := range []string{".1", ".2"} {
		if err := os.Rename(path, path+to); err != nil {
			t.Fatal(err)
		}
		w.append(2)
		w.run(tail)
	}
	if err := tail.Last(context.Background()); err != nil {
		t.Fatal(err)
	}
	w.append(4)
	w.run(w.tail(&File{Path: path}))
	var r received
	for _, from := range []string{".1", ".2", ""} {
		r.file(t, path+from)
	}
	if again := r.check(t, atOnce+11); again != 0 {
		t.Errorf("%d entries came twice without a reason", again)
	}
}

// TestFileHalfLine: what a crash left of a line ends there, and its entry
// comes again, whole.
func TestFileHalfLine(t *testing.T) {
	t.Parallel()
	w := setup(t)
	path := filepath.Join(t.TempDir(), "audit.log")
	if err := os.WriteFile(path, []byte(`{"id":1,"at":"20`), 0o600); err != nil {
		t.Fatal(err)
	}
	w.append(2)
	w.run(w.tail(&File{Path: path}))
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	half, rest, _ := strings.Cut(string(raw), "\n")
	if half != `{"id":1,"at":"20` || strings.Count(rest, "\n") != 2 || !strings.HasPrefix(rest, `{"id":1,`) {
		t.Errorf("%s", raw)
	}
}

// TestFileAway: a directory that is not there is waited for, and nothing is
// lost.
func TestFileAway(t *testing.T) {
	t.Parallel()
	w := setup(t)
	dir := filepath.Join(t.TempDir(), "later")
	tail := w.tail(&File{Path: filepath.Join(dir, "audit.log")})
	w.append(3)
	for range 3 {
		if err := tail.Run(context.Background()); err == nil {
			t.Fatal("no error without a directory")
		}
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	w.run(tail)
	var r received
	r.file(t, filepath.Join(dir, "audit.log"))
	r.check(t, 3)
}

// TestFileOfAnotherKind: a device takes lines, but no sync.
func TestFileOfAnotherKind(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.append(3)
	tail := w.tail(&File{Path: os.DevNull})
	w.run(tail)
	if tail.stored != 3 {
		t.Errorf("the cursor is at %d", tail.stored)
	}
}
