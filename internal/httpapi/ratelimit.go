package httpapi

import (
	"container/list"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/fault"
)

// Rate is a limit: PerMinute in the long run, Burst at once. The zero Rate does not
// limit.
type Rate struct {
	PerMinute int
	Burst     int
}

// Limits are the four rates of the contract, "Rate limits". They apply per replica.
type Limits struct {
	Session   Rate // per session, and per API key
	Anonymous Rate // per address, without a valid token
	Login     Rate // per address: login and refresh
	Open      Rate // per address: health and PKI
}

// LimitClass is the limit by address that a public operation counts against.
type LimitClass int

// The classes of public operations.
const (
	LimitAnonymous LimitClass = iota
	LimitLogin
	LimitOpen
	LimitNone // a refused probe would take a server out of service
)

// callerKey returns what the session limit counts by. An API key counts as a session of
// its own.
func callerKey(a access.Actor) int64 {
	if a.APIKeyID != 0 {
		return -a.APIKeyID
	}
	return a.SessionID
}

type limiters struct {
	session   *limiter[int64]
	anonymous *limiter[netip.Addr]
	login     *limiter[netip.Addr]
	open      *limiter[netip.Addr]
}

func newLimiters(l Limits, now func() time.Time) limiters {
	return limiters{
		session:   newLimiter[int64](l.Session, now),
		anonymous: newLimiter[netip.Addr](l.Anonymous, now),
		login:     newLimiter[netip.Addr](l.Login, now),
		open:      newLimiter[netip.Addr](l.Open, now),
	}
}

func (l limiters) class(c LimitClass) *limiter[netip.Addr] {
	switch c {
	case LimitLogin:
		return l.login
	case LimitOpen:
		return l.open
	case LimitNone:
		return nil
	default:
		return l.anonymous
	}
}

// maxBuckets bounds a limiter's memory (about 200 bytes each). Beyond it, the least
// recently used bucket is dropped; a flooding client keeps its own.
const maxBuckets = 20000

// limiter is a token bucket per key. A nil limiter does not limit.
type limiter[K comparable] struct {
	every rate.Limit
	burst int
	now   func() time.Time

	mu      sync.Mutex
	buckets map[K]*list.Element // of *bucket[K]
	recent  *list.List          // most recently used first
}

type bucket[K comparable] struct {
	key    K
	tokens *rate.Limiter
}

func newLimiter[K comparable](r Rate, now func() time.Time) *limiter[K] {
	if r.PerMinute <= 0 {
		return nil
	}
	return &limiter[K]{
		every: rate.Limit(float64(r.PerMinute) / 60), burst: max(r.Burst, 1), now: now,
		buckets: map[K]*list.Element{}, recent: list.New(),
	}
}

// take counts one request of key, or refuses it with rate_limited and the time to wait.
func (l *limiter[K]) take(key K) error {
	if l == nil {
		return nil
	}
	now := l.now()
	reservation := l.bucket(key).ReserveN(now, 1)
	wait := reservation.DelayFrom(now)
	if wait == 0 {
		return nil
	}
	reservation.CancelAt(now)
	return fault.New(fault.RateLimited, "requests", "Too many requests. Wait as long as Retry-After says, then continue.").
		After(max(wait, time.Second))
}

func (l *limiter[K]) bucket(key K) *rate.Limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e, ok := l.buckets[key]; ok {
		l.recent.MoveToFront(e)
		return e.Value.(*bucket[K]).tokens
	}
	if len(l.buckets) >= maxBuckets {
		oldest := l.recent.Back()
		delete(l.buckets, l.recent.Remove(oldest).(*bucket[K]).key)
	}
	b := &bucket[K]{key: key, tokens: rate.NewLimiter(l.every, l.burst)}
	l.buckets[key] = l.recent.PushFront(b)
	return b.tokens
}
