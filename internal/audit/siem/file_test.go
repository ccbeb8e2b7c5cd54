package siem

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/settings"
	"github.com/keyward/keyward/test/must"
)

func (r *received) file(t *testing.T, path string) {
	t.Helper()
	raw := must.Get(os.ReadFile(path))(t)
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
	behind := func(want int64) {
		t.Helper()
		if got := must.Get(tail.Behind(t.Context()))(t); got != want {
			t.Errorf("%d entries behind, want %d", got, want)
		}
	}
	behind(atOnce + 3)
	w.run(tail)
	behind(0)
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v, %v", info, err)
	}
	// Rotation, twice; then a restart.
	for _, to := range []string{".1", ".2"} {
		must.OK(t, os.Rename(path, path+to))
		w.append(2)
		w.run(tail)
	}
	must.OK(t, tail.Last(context.Background()))
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

// TestFileHalfLine: a line left incomplete by a crash is ended, and its entry is
// written again, whole.
func TestFileHalfLine(t *testing.T) {
	t.Parallel()
	w := setup(t)
	path := filepath.Join(t.TempDir(), "audit.log")
	must.OK(t, os.WriteFile(path, []byte(`{"id":1,"at":"20`), 0o600))
	w.append(2)
	w.run(w.tail(&File{Path: path}))
	raw := must.Get(os.ReadFile(path))(t)
	half, rest, _ := strings.Cut(string(raw), "\n")
	if half != `{"id":1,"at":"20` || strings.Count(rest, "\n") != 2 || !strings.HasPrefix(rest, `{"id":1,`) {
		t.Errorf("%s", raw)
	}
}

// TestFileOfAnotherKind: a device accepts lines, but no sync.
func TestFileOfAnotherKind(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.append(3)
	tail := w.tail(&File{Path: os.DevNull})
	w.run(tail)
	if tail.saved != 3 {
		t.Errorf("the cursor is at %d", tail.saved)
	}
}

// TestShorterLog: settings restored without the log refer to a missing entry; later
// entries are sent all the same.
func TestShorterLog(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.append(2)
	must.OK(t, w.db.PutSetting(t.Context(), "audit_tail.test", settings.Value{Text: `{"last_id":1000}`, UpdatedAt: time.Now()}))
	path := filepath.Join(t.TempDir(), "audit.log")
	tail := w.tail(&File{Path: path})
	var out bytes.Buffer
	tail.Log = slog.New(slog.NewTextHandler(&out, nil))
	w.run(tail)
	if tail.saved != 2 || !strings.Contains(out.String(), "handed_on=1000 newest=2") {
		t.Fatalf("the cursor is at %d; %s", tail.saved, out.String())
	}
	w.append(3)
	w.run(w.tail(&File{Path: path}))
	var r received
	r.file(t, path)
	if !slices.Equal(r.ids, []int64{3, 4, 5}) {
		t.Errorf("%v came", r.ids)
	}
}

// moved is a file whose cursor is moved while entries are sent to it.
type moved struct {
	*File

	move func()
}

func (m moved) Send(ctx context.Context, entries []audit.Entry) error {
	m.move()
	return m.File.Send(ctx, entries)
}

// TestCursorMoved: if a restore brings another log with its cursor, the running tail
// continues from there, without overwriting it.
func TestCursorMoved(t *testing.T) {
	t.Parallel()
	w := setup(t)
	path := filepath.Join(t.TempDir(), "audit.log")
	sink := moved{&File{Path: path}, func() {}}
	tail := w.tail(&sink)
	put := func(text string) {
		must.OK(t, w.db.PutSetting(t.Context(), "audit_tail.test", settings.Value{Text: text, UpdatedAt: time.Now()}))
	}
	w.append(3)
	w.run(tail) // 1, 2, 3
	put(`{"last_id":1}`)
	w.run(tail) // 2, 3
	sink.move = func() { put(`{"last_id":2}`) }
	w.append(1)
	w.run(tail) // 4
	sink.move = func() {}
	w.run(tail) // 3, 4
	w.run(tail)
	var r received
	r.file(t, path)
	if want := []int64{1, 2, 3, 2, 3, 4, 3, 4}; !slices.Equal(r.ids, want) || tail.saved != 4 {
		t.Errorf("%v came, and the cursor is at %d; want %v", r.ids, tail.saved, want)
	}
}
