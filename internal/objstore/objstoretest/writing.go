package objstoretest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/objstore"
	"github.com/keyward/keyward/test/must"
)

func neverOverwritten(t *testing.T, h Harness) {
	s := h.Open(t, "p/")
	for n, size := range []int{10, 6 * mebi} {
		first := content(t, size)
		put(t, s, key(s, n), first)
		_, err := s.Put(t.Context(), key(s, n), stream(content(t, size)))
		if !errors.Is(err, objstore.ErrExists) || !fault.Is(err, fault.Conflict) {
			t.Errorf("%d bytes: a second Put: %v", size, err)
		}
		holds(t, s, key(s, n), first)
	}
}

// racing: of several concurrent writers of a key, one wins, with its whole content.
func racing(t *testing.T, h Harness) {
	const racers = 4
	for n, size := range []int{1000, 6 * mebi} {
		s := h.Open(t, "r/")
		var together, done sync.WaitGroup
		together.Add(racers)
		var mu sync.Mutex
		var won [][]byte
		for range racers {
			own := content(t, size)
			done.Go(func() {
				r := &gate{Reader: stream(own), wait: sync.OnceFunc(func() { together.Done(); together.Wait() })}
				_, err := s.Put(t.Context(), key(s, n), r)
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					won = append(won, own)
				case !errors.Is(err, objstore.ErrExists):
					t.Errorf("%d bytes: a loser hears %v", size, err)
				}
			})
		}
		done.Wait()
		if len(won) != 1 {
			t.Fatalf("%d bytes: %d have won", size, len(won))
		}
		holds(t, s, key(s, n), won[0])
	}
}

// gate lets all read once all have come this far: past the check whether the key is in use.
type gate struct {
	io.Reader
	wait func()
}

// Read implements io.Reader.
func (g *gate) Read(p []byte) (int, error) {
	g.wait()
	return g.Reader.Read(p)
}

var errOfReader = errors.New("the dump has failed")

func readerFails(t *testing.T, h Harness) {
	s := h.Open(t, "")
	for _, size := range []int{0, 100, 5 * mebi, 12 * mebi} {
		r := io.MultiReader(bytes.NewReader(content(t, size)), iotest.ErrReader(errOfReader))
		if _, err := s.Put(t.Context(), key(s, 1), r); !errors.Is(err, errOfReader) {
			t.Errorf("after %d bytes: %v", size, err)
		} else if _, ok := fault.As(err); ok {
			t.Errorf("after %d bytes the store is blamed: %v", size, err)
		}
		empty(t, s, key(s, 1))
	}
}

func cancelled(t *testing.T, h Harness) {
	s := h.Open(t, "")
	for _, size := range []int{100, 12 * mebi} {
		ctx, cancel := context.WithCancel(t.Context())
		last := readerFunc(func([]byte) (int, error) { cancel(); return 0, nil })
		_, err := s.Put(ctx, key(s, 1), io.MultiReader(bytes.NewReader(content(t, size)), &once{last}, endless{}))
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled after %d bytes: %v", size, err)
		}
		empty(t, s, key(s, 1))
	}
	put(t, s, key(s, 2), content(t, mebi))
	ctx, cancel := context.WithCancel(t.Context())
	r := must.Get(s.Open(ctx, key(s, 2), 0, -1))(t)
	cancel()
	if _, err := io.Copy(io.Discard, r); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled reader: %v", err)
	}
	must.OK(t, r.Close())
	for what, err := range map[string]error{
		"Each":   s.Each(ctx, func(objstore.Object) error { return nil }),
		"Delete": s.Delete(ctx, key(s, 2)),
		"Stat":   second(s.Stat(ctx, key(s, 2))),
		"Link":   second(s.Link(ctx, key(s, 2))),
		"Open":   second(s.Open(ctx, key(s, 2), 0, -1)),
		"Put":    second(s.Put(ctx, key(s, 3), stream(nil))),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s, cancelled: %v", what, err)
		}
	}
	if keys := listing(t, s); len(keys) != 1 {
		t.Errorf("after all that: %q", keys)
	}
}

func second[V any](_ V, err error) error { return err }

type readerFunc func([]byte) (int, error)

// Read implements io.Reader.
func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// once reads nothing, once.
type once struct{ r io.Reader }

// Read implements io.Reader.
func (o *once) Read(p []byte) (int, error) {
	_, _ = o.r.Read(p)
	return 0, io.EOF
}

// endless never ends.
type endless struct{}

// Read implements io.Reader.
func (endless) Read(p []byte) (int, error) { return len(p), nil }

func absent(t *testing.T, h Harness) {
	s := h.Open(t, "a/")
	for what, err := range map[string]error{
		"Stat": second(s.Stat(t.Context(), key(s, 1))), "Open": second(s.Open(t.Context(), key(s, 1), 0, -1)),
		"Open, a part": second(s.Open(t.Context(), key(s, 1), 0, 10)), "Open, nothing": second(s.Open(t.Context(), key(s, 1), 0, 0)),
		"Link": second(s.Link(t.Context(), key(s, 1))),
	} {
		if !errors.Is(err, objstore.ErrNotFound) || !fault.Is(err, fault.NotFound) {
			t.Errorf("%s: %v", what, err)
		}
	}
	put(t, s, key(s, 1), content(t, 10))
	for range 2 { // the second deletes a missing object
		must.OK(t, s.Delete(t.Context(), key(s, 1)))
	}
	empty(t, s, key(s, 1))
	put(t, s, key(s, 1), content(t, 20)) // a name can be reused
	put(t, s, key(s, 2), content(t, 20))
	must.OK(t, s.Delete(t.Context(), key(s, 3), key(s, 1), key(s, 2)))
	empty(t, s, key(s, 2))
}

// oldReader: reading an object while it is deleted returns all of it, or an error.
func oldReader(t *testing.T, h Harness) {
	s := h.Open(t, "")
	want := content(t, 3*mebi)
	put(t, s, key(s, 1), want)
	r := must.Get(s.Open(t.Context(), key(s, 1), 0, -1))(t)
	must.Get(io.ReadFull(r, make([]byte, 10)))(t)
	must.OK(t, s.Delete(t.Context(), key(s, 1)))
	rest, err := io.ReadAll(r)
	if err == nil && !bytes.Equal(rest, want[10:]) {
		t.Errorf("%d bytes without an error", len(rest))
	}
	must.OK(t, r.Close())
}
