package httpapi

import (
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/fault"
)

// clock is a time that the test moves.
type clock struct{ ns atomic.Int64 }

func (c *clock) now() time.Time          { return time.Unix(1_800_000_000, c.ns.Load()) }
func (c *clock) advance(d time.Duration) { c.ns.Add(int64(d)) }

// ordinaryLimits are the contract's.
func ordinaryLimits() Limits {
	return Limits{Session: Rate{600, 100}, Anonymous: Rate{120, 40}, Login: Rate{300, 100}, Open: Rate{6000, 1000}}
}

// through returns how many of n requests pass before one is refused, and the refusal.
func through(t *testing.T, s *Server, n int, method, path string, headers ...string) (int, string) {
	t.Helper()
	for i := range n {
		res := call(s, method, path, headers...)
		if res.Code == 429 {
			if seconds, err := strconv.Atoi(res.Header().Get("Retry-After")); err != nil || seconds < 1 {
				t.Errorf("Retry-After %q", res.Header().Get("Retry-After"))
			}
			return i, res.Header().Get("Retry-After")
		}
	}
	return n, ""
}

func TestRateLimits(t *testing.T) {
	t.Parallel()
	c := &clock{}
	server := func() *Server {
		return newServerWithTestRoutes(Options{Auth: tokens{}, Health: standing{}, Now: c.now, Limits: ordinaryLimits()})
	}
	user := as(access.User)
	for _, tc := range []struct {
		name, method, path string
		headers            []string
		burst              int
	}{
		{"a session", "GET", "/api/test/who/x", user, 100},
		{"no token", "GET", "/api/test/who/x", nil, 40},
		{"a bad token", "GET", "/api/test/who/x", as("token_invalid"), 40},
		{"nothing there", "GET", "/api/nothing", nil, 40},
		{"wrong method", "GET", "/api/test/public", nil, 40},
		{"login", "POST", "/api/test/public", nil, 100},
		{"health", "GET", "/health", nil, 1000},
		{"api health", "GET", "/api/health", nil, 1000},
	} {
		s := server()
		if n, _ := through(t, s, tc.burst+1, tc.method, tc.path, tc.headers...); n != tc.burst {
			t.Errorf("%s: %d at once", tc.name, n)
		}
	}

	s := server()
	through(t, s, 41, "GET", "/api/nothing")
	if _, retry := through(t, s, 1, "GET", "/api/nothing"); retry != "1" {
		t.Errorf("Retry-After %q", retry)
	}
	if n, _ := through(t, s, 1, "GET", "/api/test/who/x", user...); n != 1 {
		t.Error("a signed-in session suffers from the strangers at its address")
	}
	c.advance(500 * time.Millisecond) // 120 a minute
	if n, _ := through(t, s, 2, "GET", "/api/nothing"); n != 1 {
		t.Errorf("%d after half a second", n)
	}
	through(t, s, 101, "GET", "/api/test/who/x", user...)
	if n, _ := through(t, s, 1, "GET", "/api/test/who/x", as(access.GlobalAdmin)...); n != 1 {
		t.Error("one session suffers from another")
	}
}

// TestDenialsCount: a session that tries forbidden operations is limited too, and
// refused requests past the limit are not audited again.
func TestDenialsCount(t *testing.T) {
	t.Parallel()
	s := newServerWithTestRoutes(Options{Auth: tokens{}, Limits: ordinaryLimits(), Now: (&clock{}).now})
	if n, _ := through(t, s, 101, "POST", "/api/test/admin", as(access.User)...); n != 100 {
		t.Errorf("%d", n)
	}
}

func TestLimiterOff(t *testing.T) {
	t.Parallel()
	l := newLimiter[int](Rate{}, time.Now)
	for range 1000 {
		if err := l.take(1); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLimiterIsBounded: a flood of keys costs bounded memory, and does not release a
// client that is being limited.
func TestLimiterIsBounded(t *testing.T) {
	t.Parallel()
	c := &clock{}
	l := newLimiter[int](Rate{PerMinute: 1, Burst: 1}, c.now)
	for i := range 3 * maxBuckets {
		_ = l.take(-1)
		if err := l.take(i); err != nil {
			t.Fatalf("a new key: %v", err)
		}
	}
	if len(l.buckets) != maxBuckets || l.recent.Len() != maxBuckets {
		t.Errorf("%d buckets, %d in the list", len(l.buckets), l.recent.Len())
	}
	if !fault.Is(l.take(-1), fault.RateLimited) {
		t.Error("the busiest key was forgotten")
	}
}
