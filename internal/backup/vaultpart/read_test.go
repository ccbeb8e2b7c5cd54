package vaultpart_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/backup/vaultpart"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
)

// watched is a vault with a hook before calls.
type watched struct {
	engine

	get  func(path string) error
	list func(prefix string)
}

func (w watched) Get(ctx context.Context, path string) (vault.Version, error) {
	if w.get != nil {
		if err := w.get(path); err != nil {
			return vault.Version{}, err
		}
	}
	return w.engine.Get(ctx, path)
}

func (w watched) List(ctx context.Context, prefix string) ([]string, error) {
	if w.list != nil {
		w.list(prefix)
	}
	return w.engine.List(ctx, prefix)
}

// TestReadNamesWhatIsUnreadable: a backup without it would be incomplete.
func TestReadNamesWhatIsUnreadable(t *testing.T) {
	t.Parallel()
	e := openEmbedded(t, t.TempDir())
	fill(t, e, lived())
	for path := range lived() {
		broken := errors.New("it is broken")
		_, err := vaultpart.Read(t.Context(), watched{engine: e, get: func(asked string) error {
			if asked == path {
				return broken
			}
			return nil
		}}, func(string, vault.Data) error { return nil })
		if !errors.Is(err, broken) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestReadWhatVanishes: a document deleted between listing and reading is no error,
// nor is one deleted before.
func TestReadWhatVanishes(t *testing.T) {
	t.Parallel()
	e := openEmbedded(t, t.TempDir())
	fill(t, e, lived())
	gone := "of_a/later/version"
	b := read(t, watched{engine: e, get: func(path string) error {
		if path == gone {
			must.OK(t, e.DestroyPath(t.Context(), gone))
		}
		return nil
	}})
	if _, there := b[gone]; there || len(b) != len(lived())-1+2 { // and _pki/ca, _pki/crl
		t.Errorf("%d documents, that one among them: %v", len(b), there)
	}
}

// TestReadEnds with the error of the function that gets the documents, and with its context.
func TestReadEnds(t *testing.T) {
	t.Parallel()
	e := openEmbedded(t, t.TempDir())
	for i := range 100 {
		put(t, e, fmt.Sprintf("%d/secrets", i), secrets("x", 1))
	}
	full, taken := errors.New("the disk is full"), 0
	_, err := vaultpart.Read(t.Context(), e, func(string, vault.Data) error {
		if taken++; taken == 10 {
			return full
		}
		return nil
	})
	if !errors.Is(err, full) || taken != 10 {
		t.Errorf("after %d documents: %v", taken, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if _, err = vaultpart.Read(ctx, e, func(string, vault.Data) error { cancel(); return nil }); err == nil {
		t.Error("it went on without its context")
	}
}

// TestReadByTwenty: at most as many concurrent reads as the specification allows.
func TestReadByTwenty(t *testing.T) {
	t.Parallel()
	e := openEmbedded(t, t.TempDir())
	fill(t, e, lived())
	for i := range 200 {
		put(t, e, fmt.Sprintf("%d/secrets", i), secrets("x", 1))
	}
	var calls, now atomic.Int64
	all := make(chan struct{})
	count := must.Get(vaultpart.Read(t.Context(), watched{engine: e, get: func(path string) error {
		if !strings.HasSuffix(path, "/secrets") {
			return nil
		}
		if now.Add(1) > 20 {
			t.Error("more than 20 at once")
		}
		if calls.Add(1) == 20 {
			close(all)
		}
		await.From(t, "20 read at once", all)
		now.Add(-1)
		return nil
	}}, func(string, vault.Data) error { return nil }))(t)
	if count.Classes[vaultpart.Secrets] != 202 {
		t.Errorf("counted %v", count)
	}
}

// computing is a vault that names its number of concurrent reads.
type computing struct{ watched }

func (computing) ReadsAtOnce() int { return 1 }

var _ vaultpart.Computing = (*embedded.Engine)(nil)

// TestReadByOne: such a vault gets no more concurrent reads.
func TestReadByOne(t *testing.T) {
	t.Parallel()
	e := openEmbedded(t, t.TempDir())
	fill(t, e, lived())
	var now atomic.Int64
	count := must.Get(vaultpart.Read(t.Context(), computing{watched{engine: e, get: func(string) error {
		defer now.Add(-1)
		if now.Add(1) > 1 {
			t.Error("more than one at once")
		}
		runtime.Gosched() // others would come now
		return nil
	}}}, func(string, vault.Data) error { return nil }))(t)
	if count.Classes[vaultpart.Secrets] != 2 {
		t.Errorf("counted %v", count)
	}
}

// TestReadFollowsTheLogs: entries that move while the log is read are in the backup,
// wherever they are at the beginning.
func TestReadFollowsTheLogs(t *testing.T) {
	t.Parallel()
	e := openEmbedded(t, t.TempDir())
	entry := vault.Data(`{"entries":[]}`)
	steps := []string{
		"_issuances/open/1", "_issuances/settled/2026-11-22/1", "_issuances/kept/2027-11-23_2026-11-22_1", "_issuances/unrecorded/1",
	}
	for begin := range steps {
		for moves := range 8 { // the listings before which it moves
			at := begin
			put(t, e, steps[at], entry)
			listing := 0
			b := read(t, watched{engine: e, list: func(prefix string) {
				if !strings.HasPrefix(prefix, "_issuances/") {
					return
				}
				if moves>>listing&1 == 1 && at+1 < len(steps) {
					put(t, e, steps[at+1], entry)
					must.OK(t, e.DestroyPath(t.Context(), steps[at]))
					at++
				}
				listing++
			}})
			found := false
			for _, path := range steps {
				_, is := b[path]
				found = found || is
				must.OK(t, e.DestroyPath(t.Context(), path))
			}
			if !found {
				t.Errorf("begun as %s, moved as %b: the entry is not in the backup", steps[begin], moves)
			}
		}
	}
}

// TestReadReleaseLogAsOne: pages closed meanwhile do not contradict the open one,
// with which a restored vault continues.
func TestReadReleaseLogAsOne(t *testing.T) {
	t.Parallel()
	page := func(n int) vault.Data { return fmt.Appendf(nil, `{"page":%d}`, n) }
	for name, turn := range map[string]func(asked string, call string) bool{
		"before the open page is read": func(asked, call string) bool { return call == "get" && asked == "1234/releases" },
		"after":                        func(asked, call string) bool { return call == "list" && asked == "1234/releases" },
		"never":                        func(string, string) bool { return false },
	} {
		e := openEmbedded(t, t.TempDir())
		put(t, e, "1234/releases", page(2))
		put(t, e, "1234/releases/1", page(1))
		closed := false
		closePage := func(asked, call string) {
			if !closed && turn(asked, call) {
				closed = true
				put(t, e, "1234/releases/2", page(2))
				put(t, e, "1234/releases", page(3))
			}
		}
		b := read(t, watched{
			engine: e, get: func(path string) error { closePage(path, "get"); return nil }, list: func(prefix string) { closePage(prefix, "list") },
		})
		want := map[string]string{"1234/releases": `{"page":2}`, "1234/releases/1": `{"page":1}`}
		if name == "before the open page is read" {
			want = map[string]string{"1234/releases": `{"page":3}`, "1234/releases/1": `{"page":1}`, "1234/releases/2": `{"page":2}`}
		}
		got := map[string]string{}
		for path, data := range b {
			if strings.HasPrefix(path, "1234/") {
				got[path] = string(data)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
