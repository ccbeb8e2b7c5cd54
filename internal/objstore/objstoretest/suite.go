// Package objstoretest is the conformance suite of package objstore's port, which
// every engine passes. Expectations come from the port's comments and from the
// specification ("Backup file", "Limits").
package objstoretest

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/keyward/keyward/internal/objstore"
	"github.com/keyward/keyward/test/must"
)

// Harness is an engine under test.
type Harness struct {
	// Open opens a store with a prefix. All stores of one harness share the same place.
	Open func(t *testing.T, prefix string) objstore.Store
	// Fetch gets a link's target without an account.
	Fetch func(t *testing.T, link string) (status int, body []byte)
	// Fill stores empty objects, faster than Put.
	Fill func(t *testing.T, keys []string)
	// Abandon leaves what a killed write of the key leaves.
	Abandon func(t *testing.T, key string)
	// SweepsItself means that the place hides such leftovers and removes them itself.
	SweepsItself bool
}

// swept returns how many of n abandoned writes Sweep finds.
func (h Harness) swept(n int) int {
	if h.SweepsItself {
		return 0
	}
	return n
}

// Run runs the whole suite; setup is called once for every case.
func Run(t *testing.T, setup func(t *testing.T) Harness) {
	for _, c := range []struct {
		name string
		run  func(*testing.T, Harness)
	}{
		{"Sizes", sizes}, {"Ranges", ranges}, {"Streamed", streamed}, {"NeverOverwritten", neverOverwritten}, {"Racing", racing},
		{"ReaderFails", readerFails}, {"Cancelled", cancelled}, {"Absent", absent},
		{"Listed", listed}, {"ManyListed", manyListed}, {"Callback", callback}, {"Keys", keys}, {"Prefixes", prefixes},
		{"Linked", linked}, {"Swept", swept}, {"Probed", probed}, {"OldReader", oldReader},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.run(t, setup(t))
		})
	}
}

var begun = time.Date(2026, 3, 29, 0, 0, 0, 0, time.UTC)

// name returns the nth backup's name, each a second later.
func name(kind string, n int) objstore.Name {
	return objstore.Name{Type: kind, At: begun.Add(time.Duration(n) * time.Second)}
}

func key(s objstore.Store, n int) string { return name("full", n).Key(s.Prefix()) }

func content(t *testing.T, size int) []byte {
	t.Helper()
	b := make([]byte, size)
	must.Get(io.ReadFull(rand.Reader, b))(t)
	return b
}

// put writes a stream of unknown length that cannot be rewound.
func put(t *testing.T, s objstore.Store, key string, content []byte) objstore.Object {
	t.Helper()
	o := must.Get(s.Put(t.Context(), key, stream(content)))(t)
	if o.Key != key || o.Size != int64(len(content)) {
		t.Errorf("Put: %q of %d bytes, %+v", key, len(content), o)
	}
	return o
}

func stream(content []byte) io.Reader { return struct{ io.Reader }{bytes.NewReader(content)} }

func get(t *testing.T, s objstore.Store, key string, offset, length int64) []byte {
	t.Helper()
	r := must.Get(s.Open(t.Context(), key, offset, length))(t)
	got, err := io.ReadAll(r)
	must.OK(t, errors.Join(err, r.Close()))
	return got
}

// holds compares by hash: no one reads a diff of megabytes.
func holds(t *testing.T, s objstore.Store, key string, want []byte) {
	t.Helper()
	if got := get(t, s, key, 0, -1); sha256.Sum256(got) != sha256.Sum256(want) {
		t.Errorf("%q holds %d bytes that are not the %d that were put", key, len(got), len(want))
	}
}

// listing returns the keys without the prefix, newest first.
func listing(t *testing.T, s objstore.Store) (keys []string) {
	t.Helper()
	all, total, err := objstore.Newest(t.Context(), s, objstore.MaxListed, "")
	must.OK(t, err)
	if total != len(all) {
		t.Errorf("%d of %d are listed", len(all), total)
	}
	for _, o := range all {
		keys = append(keys, strings.TrimPrefix(o.Key, s.Prefix()))
	}
	return keys
}

// empty checks that nothing exists, not even in part.
func empty(t *testing.T, s objstore.Store, key string) {
	t.Helper()
	if _, err := s.Stat(t.Context(), key); !errors.Is(err, objstore.ErrNotFound) {
		t.Errorf("%q is there: %v", key, err)
	}
	if keys := listing(t, s); len(keys) > 0 {
		t.Errorf("listed: %q", keys)
	}
	if n := must.Get(s.Sweep(t.Context(), time.Now().Add(time.Hour)))(t); n != 0 {
		t.Errorf("%d unfinished writes are left", n)
	}
}

const mebi = 1 << 20

func sizes(t *testing.T, h Harness) {
	s := h.Open(t, "")
	for n, size := range []int{0, 1, 5*mebi - 1, 5 * mebi, 5*mebi + 1, 11 * mebi} {
		want := content(t, size)
		before := time.Now().Add(-time.Minute)
		made := put(t, s, key(s, n), want)
		if made.ModifiedAt.Before(before) || made.ModifiedAt.After(time.Now().Add(time.Minute)) || made.ModifiedAt.Location() != time.UTC {
			t.Errorf("%d bytes: modified at %v", size, made.ModifiedAt)
		}
		if got := must.Get(s.Stat(t.Context(), key(s, n)))(t); got != made {
			t.Errorf("%d bytes: Put says %+v, Stat %+v", size, made, got)
		}
		holds(t, s, key(s, n), want)
	}
}

func ranges(t *testing.T, h Harness) {
	s := h.Open(t, "")
	whole := content(t, 5*mebi+100)
	put(t, s, key(s, 1), whole)
	put(t, s, key(s, 2), nil)
	size := int64(len(whole))
	for _, c := range []struct{ offset, length, from, to int64 }{
		{0, 64, 0, 64}, {0, 0, 0, 0}, {0, size, 0, size}, {0, size + 5, 0, size}, {17, 1, 17, 18}, {5*mebi - 3, 7, 5*mebi - 3, 5*mebi + 4},
		{size - 1, -1, size - 1, size}, {size - 1, 9, size - 1, size}, {size, -1, size, size}, {size, 4, size, size}, {size + 9, 4, size, size},
		{size + 9, -1, size, size},
	} {
		if got := get(t, s, key(s, 1), c.offset, c.length); !bytes.Equal(got, whole[c.from:c.to]) {
			t.Errorf("%d bytes at %d: got %d", c.length, c.offset, len(got))
		}
	}
	for _, c := range [][2]int64{{0, -1}, {0, 5}, {3, -1}} {
		if got := get(t, s, key(s, 2), c[0], c[1]); len(got) != 0 {
			t.Errorf("%v of nothing: %d bytes", c, len(got))
		}
	}
	if got := must.Get(objstore.Head(t.Context(), s, key(s, 1), 100))(t); !bytes.Equal(got, whole[:100]) {
		t.Error("Head gives something else")
	}
}

// streamed: readers that return little at a time, or data together with their end.
func streamed(t *testing.T, h Harness) {
	s := h.Open(t, "")
	want := content(t, 70_001)
	for n, r := range []io.Reader{iotest.OneByteReader(stream(want)), iotest.DataErrReader(stream(want)), iotest.HalfReader(stream(want))} {
		must.Get(s.Put(t.Context(), key(s, n), r))(t)
		holds(t, s, key(s, n), want)
	}
}
