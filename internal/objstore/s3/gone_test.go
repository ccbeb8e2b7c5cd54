//go:build exhaustive

package s3_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/keyward/keyward/internal/objstore"
	"github.com/keyward/keyward/internal/objstore/s3"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/s3server"
)

// going is a connection to a store that goes away at some request, for a number of attempts.
type going struct {
	to   http.RoundTripper
	from func(*http.Request) bool
	does bool // the store does that request, but its answer is lost
	why  error

	mu      sync.Mutex
	gone    bool
	refuses int // attempts; negative: all
	refused int
}

func (g *going) RoundTrip(r *http.Request) (*http.Response, error) {
	g.mu.Lock()
	first := !g.gone && g.from(r)
	g.gone = g.gone || first
	passes := !g.gone || g.refuses >= 0 && g.refused >= g.refuses && !first
	does := first && g.does
	if !passes && !does {
		g.refused++
	}
	g.mu.Unlock()
	if passes {
		return g.to.RoundTrip(r)
	}
	if does {
		answer, err := g.to.RoundTrip(r)
		if err != nil {
			return nil, err
		}
		_, _ = io.Copy(io.Discard, answer.Body)
		_ = answer.Body.Close()
		return nil, io.ErrUnexpectedEOF
	}
	if r.Body != nil {
		_ = r.Body.Close()
	}
	return nil, g.why
}

// back ends the outage.
func (g *going) back() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.refuses = 0
}

var (
	errRefused = &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	errNoHost  = &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "s3.example.org", IsNotFound: true}}
	errNoDNS   = &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "server misbehaving", Name: "s3.example.org", IsTemporary: true}}
)

// soon is how long a backup may take to report that the store is gone: the pauses of
// one request, and of the two shared retries (at most 16 s and 6 s).
const soon = 22 * time.Second

// TestGone: after a store goes away during an upload, its state is queried and its
// removal requested, as a backup job does, all within soon. Whatever the store had
// done by then, and however soon it is back, the report is true.
func TestGone(t *testing.T) {
	t.Parallel()
	server := s3server.Shared(t)
	for name, c := range map[string]struct {
		size    int
		from    func(*http.Request) bool
		why     error
		refuses []int
	}{
		"small":               {10, whole, errRefused, []int{0, 3, 4, 5, 6, 7, 8, -1}},
		"the end of parts":    {large, complete, errRefused, []int{4, 6, 9, -1}},
		"a part":              {large, part, errRefused, []int{-1}},
		"no such host":        {10, whole, errNoHost, []int{0, 1, 2, 3, -1}},
		"no host at all":      {10, whole, errNoDNS, []int{4, 6, -1}},
		"ended by the server": {10, whole, io.ErrUnexpectedEOF, []int{6, -1}},
	} {
		for _, refuses := range c.refuses {
			for _, does := range []bool{true, false} {
				t.Run(fmt.Sprint(name, ", for ", refuses, " tries, done: ", does), func(t *testing.T) {
					t.Parallel()
					g := &going{from: c.from, does: does, why: c.why, refuses: refuses}
					o := options(t)
					o.Attempts, o.Pause = 0, 0 // the defaults
					o.Endpoint = server.Plain
					now := time.Now()
					synctest.Test(t, func(t *testing.T) {
						began := time.Now()
						o.Now = func() time.Time { return now.Add(time.Since(began)) }
						goes(t, o, g, c.size)
					})
				})
			}
		}
	}
}

// goes is the end of a backup job whose store goes away.
func goes(t *testing.T, o s3.Options, g *going, size int) {
	s := open(t, o)
	s.Between(func(to http.RoundTripper) http.RoundTripper { g.to = to; return g })
	want := bytes.Repeat([]byte("content"), size/7+1)[:size]
	began := time.Now()
	_, err := s.Put(t.Context(), key, bytes.NewReader(want))
	unsure := errors.Is(err, objstore.ErrUnsure)
	kept, removed := err == nil, err != nil && !unsure
	if unsure {
		if _, gone := s.Stat(t.Context(), key); gone == nil {
			kept = true
		} else {
			removed = s.Delete(t.Context(), key) == nil
		}
	}
	if took := time.Since(began); took > soon || !g.gone {
		t.Errorf("it took %v until %v", took, err)
	}
	known := kept || removed
	if known == (g.refuses < 0) && unsure {
		t.Errorf("kept %v, removed %v: %v", kept, removed, err)
	}

	g.back()
	is, err := s.Stat(t.Context(), key)
	if kept && (err != nil || is.Size != int64(size)) || removed && !errors.Is(err, objstore.ErrNotFound) {
		t.Errorf("kept %v, removed %v, and is there: %+v, %v", kept, removed, is, err)
	}
	// Each request has its own retries again.
	g.mu.Lock()
	g.from, g.gone, g.does, g.refuses, g.refused = looking, false, false, 4, 0
	g.why = errRefused
	g.mu.Unlock()
	if _, err := s.Stat(t.Context(), key); err != nil && !errors.Is(err, objstore.ErrNotFound) {
		t.Errorf("when it is back: %v", err)
	}
	must.OK(t, s.Delete(t.Context(), key))
}
