package s3_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/objstore"
	"github.com/keyward/keyward/internal/objstore/s3"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/s3server"
)

// The requests of an upload.
func whole(r *http.Request) bool {
	return r.Method == http.MethodPut && !r.URL.Query().Has("partNumber")
}
func part(r *http.Request) bool { return r.URL.Query().Has("partNumber") }
func complete(r *http.Request) bool {
	return r.Method == http.MethodPost && r.URL.Query().Has("uploadId")
}
func looking(r *http.Request) bool { return r.Method == http.MethodHead }

const always = 1 << 30

// proxied is a store behind a proxy.
func proxied(t *testing.T) (*s3.Store, *s3server.Proxy) {
	t.Helper()
	o := options(t)
	p := s3server.Shared(t).Proxy(t)
	o.Endpoint = p.Address
	return open(t, o), p
}

// What the store did before its answer was lost is not taken for undone.
func TestLostAnswers(t *testing.T) {
	t.Parallel()
	after, before := s3server.Fault{CutAfter: true}, s3server.Fault{CutBefore: true}
	slow := s3server.Fault{Status: http.StatusServiceUnavailable, Code: "SlowDown"}
	old := s3server.Fault{Status: http.StatusNotImplemented, Code: "NotImplemented"}
	for name, c := range map[string]struct {
		size   int
		fault  func(*http.Request) s3server.Fault
		reason string // empty: success
		kind   error
	}{
		"small, once":              {10, s3server.Once(after, whole), "", nil},
		"small, always":            {10, s3server.Times(always, after, whole), "", nil},
		"small, never arrives":     {10, s3server.Times(always, before, whole), "s3_cut", objstore.ErrUnavailable},
		"small, and then silence":  {10, both(s3server.Times(always, after, whole), lookingAgain(before)), "s3_unsure", objstore.ErrUnsure},
		"small, done, no more":     {10, lookingAgain(before), "", nil},
		"in parts, done, no more":  {large, lookingAgain(before), "", nil},
		"small, throttled":         {10, s3server.Times(2, slow, whole), "", nil},
		"small, an older store":    {10, conditional(old), "", nil},
		"a part, once":             {large, s3server.Once(after, part), "", nil},
		"a part, always":           {large, s3server.Times(always, after, part), "s3_cut", objstore.ErrUnavailable},
		"a part, throttled":        {large, s3server.Times(2, slow, part), "", nil},
		"the end, once":            {large, s3server.Once(after, complete), "", nil},
		"the end, always":          {large, s3server.Times(always, after, complete), "", nil},
		"the end, never arrives":   {large, s3server.Times(always, before, complete), "s3_cut", objstore.ErrUnavailable},
		"the end, throttled":       {large, s3server.Times(always, slow, complete), "s3_throttled", objstore.ErrUnavailable},
		"the end, then silence":    {large, both(s3server.Times(always, after, complete), lookingAgain(before)), "s3_unsure", objstore.ErrUnsure},
		"the end, an older store":  {large, conditional(old), "", nil},
		"the beginning, throttled": {large, s3server.Times(always, slow, beginning), "s3_throttled", objstore.ErrUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, p := proxied(t)
			p.Fault(c.fault)
			want := bytes.Repeat([]byte("content"), c.size/7+1)[:c.size]
			made, err := s.Put(t.Context(), key, struct{ io.Reader }{bytes.NewReader(want)})
			p.Fault(nil)
			if c.reason != "" {
				says(t, err, c.reason, c.kind)
			}
			if c.reason != "" && !errors.Is(c.kind, objstore.ErrUnsure) {
				absent(t, s)
				return
			}
			if c.reason == "" && (err != nil || made.Size != int64(c.size)) {
				t.Errorf("%+v, %v", made, err)
			}
			if got := must.Get(objstore.Head(t.Context(), s, key, -1))(t); !bytes.Equal(got, want) {
				t.Errorf("it holds %d bytes of %d", len(got), len(want))
			}
			if n := must.Get(s.Sweep(t.Context(), time.Now().Add(time.Hour)))(t); n != 0 {
				t.Errorf("%d uploads are left", n)
			}
		})
	}
}

func beginning(r *http.Request) bool {
	return r.Method == http.MethodPost && r.URL.Query().Has("uploads")
}

// both is the first of two faults that applies.
func both(a, b func(*http.Request) s3server.Fault) func(*http.Request) s3server.Fault {
	return func(r *http.Request) s3server.Fault {
		if f := a(r); f != (s3server.Fault{}) {
			return f
		}
		return b(r)
	}
}

// lookingAgain spares the first check, which precedes the upload.
func lookingAgain(f s3server.Fault) func(*http.Request) s3server.Fault {
	first := true
	return s3server.Times(always, f, func(r *http.Request) bool {
		again := looking(r) && !first
		if looking(r) {
			first = false
		}
		return again
	})
}

// TestCancelledAtTheEnd: a multipart upload cancelled during its last request exists
// completely, or leaves nothing.
func TestCancelledAtTheEnd(t *testing.T) {
	t.Parallel()
	want := bytes.Repeat([]byte("content"), large/7+1)[:large]
	for name, c := range map[string]struct {
		fault s3server.Fault
		there bool
	}{
		"it goes through":    {s3server.Fault{}, true},
		"its answer is lost": {s3server.Fault{CutAfter: true}, true},
		"it never arrives":   {s3server.Fault{CutBefore: true}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, p := proxied(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			p.Fault(func(r *http.Request) s3server.Fault {
				if !complete(r) {
					return s3server.Fault{}
				}
				cancel()
				return c.fault
			})
			made, err := s.Put(ctx, key, struct{ io.Reader }{bytes.NewReader(want)})
			p.Fault(nil)
			if ctx.Err() == nil {
				t.Error("it was not cancelled")
			}
			if !c.there {
				if err == nil {
					t.Errorf("it says that it is there: %+v", made)
				}
				absent(t, s)
				return
			}
			if err != nil || made.Size != large {
				t.Errorf("%+v, %v", made, err)
			}
			if got := must.Get(objstore.Head(t.Context(), s, key, -1))(t); !bytes.Equal(got, want) {
				t.Errorf("it holds %d bytes of %d", len(got), len(want))
			}
			if n := must.Get(s.Sweep(t.Context(), time.Now().Add(time.Hour)))(t); n != 0 {
				t.Errorf("%d uploads are left", n)
			}
		})
	}
}

// conditional is a store that does not support conditions.
func conditional(f s3server.Fault) func(*http.Request) s3server.Fault {
	return s3server.Times(always, f, func(r *http.Request) bool { return r.Header.Get("If-None-Match") != "" })
}

// A store may ignore conditions: it is asked before.
func TestAskedBefore(t *testing.T) {
	t.Parallel()
	s, p := proxied(t)
	must.Get(s.Put(t.Context(), key, strings.NewReader("first")))(t)
	p.Fault(func(r *http.Request) s3server.Fault {
		if !looking(r) {
			t.Errorf("it is sent: %s %s", r.Method, r.URL)
		}
		return s3server.Fault{}
	})
	if _, err := s.Put(t.Context(), key, strings.NewReader("second")); !errors.Is(err, objstore.ErrExists) {
		t.Errorf("the second one: %v", err)
	}
}

// A delete whose answer was lost has happened; one that never arrived has not, and
// says so.
func TestLostDelete(t *testing.T) {
	t.Parallel()
	s, p := proxied(t)
	deleting := func(r *http.Request) bool { return r.Method == http.MethodDelete }
	for name, c := range map[string]struct {
		fault func(*http.Request) s3server.Fault
		gone  bool
	}{
		"once":          {s3server.Once(s3server.Fault{CutAfter: true}, deleting), true},
		"never arrives": {s3server.Times(always, s3server.Fault{CutBefore: true}, deleting), false},
	} {
		must.Get(s.Put(t.Context(), key, strings.NewReader("x")))(t)
		p.Fault(c.fault)
		err := s.Delete(t.Context(), key)
		p.Fault(nil)
		_, there := s.Stat(t.Context(), key)
		if gone := errors.Is(there, objstore.ErrNotFound); gone != c.gone || (err == nil) != c.gone {
			t.Errorf("%s: gone %v, %v", name, gone, err)
		}
		must.OK(t, s.Delete(t.Context(), key))
	}
}

// The connection breaks early, in the middle and late in the transfer: the transfer
// recovers; if it cannot, the error says so, and nothing looks like a backup.
func TestCut(t *testing.T) {
	t.Parallel()
	content := bytes.Repeat([]byte("0123456789abcdef"), large/16+1)[:large]
	o := options(t)
	c := s3server.Shared(t).Cutter(t)
	o.Endpoint = c.Address
	for _, tenth := range []int64{1, 5, 9} {
		at := large * tenth / 10
		t.Run(fmt.Sprint(tenth), func(t *testing.T) {
			s := open(t, o)
			c.CutUp(at, true)
			_, err := s.Put(t.Context(), key, struct{ io.Reader }{bytes.NewReader(content)})
			says(t, err, "s3_cut", objstore.ErrUnavailable)
			c.CutUp(0, false)
			if _, err := s.Stat(t.Context(), key); !errors.Is(err, objstore.ErrNotFound) {
				t.Errorf("it is there: %v", err)
			}
			must.Get(s.Sweep(t.Context(), time.Now().Add(time.Hour)))(t) // which could not be aborted

			c.CutUp(at, false)
			if made, err := s.Put(t.Context(), key, struct{ io.Reader }{bytes.NewReader(content)}); err != nil || made.Size != large {
				t.Errorf("put: %+v, %v", made, err)
			}
			if !c.HasCut() {
				t.Error("nothing was cut on the way there")
			}
			c.CutDown(at, false)
			if got, err := objstore.Head(t.Context(), s, key, -1); err != nil || !bytes.Equal(got, content) {
				t.Errorf("get: %d bytes, %v", len(got), err)
			}
			if !c.HasCut() {
				t.Error("nothing was cut on the way back")
			}
			c.CutDown(at, true)
			got, err := objstore.Head(t.Context(), s, key, -1)
			says(t, err, "s3_cut", objstore.ErrUnavailable)
			if len(got) == large {
				t.Error("all of it came")
			}
			c.CutDown(0, false)
			must.OK(t, s.Delete(t.Context(), key))
		})
	}
}
