package pki

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/vault"
)

// engine is a CA whose list the test sets: the cache is under test, with the test's own clock.
type engine struct {
	vault.PKI
	gate    chan struct{} // when not nil, each fetch waits for one value
	mu      sync.Mutex
	now     time.Time
	number  uint64
	fetches int
	down    bool
	lasts   time.Duration
}

func (e *engine) CAs(context.Context) ([]vault.CA, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.down {
		return nil, vault.ErrUnavailable
	}
	return []vault.CA{{ID: "a", Chain: [][]byte{{}}, Active: true, First: true}}, nil
}

func (e *engine) CRL(context.Context, string) (vault.CRL, error) {
	if e.gate != nil {
		<-e.gate
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.fetches++
	if e.down {
		return vault.CRL{}, vault.ErrUnavailable
	}
	return vault.CRL{DER: []byte{byte(e.number)}, Number: e.number, ThisUpdate: e.now, NextUpdate: e.now.Add(e.lasts)}, nil
}

func (e *engine) clock() time.Time {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.now
}

func (e *engine) pass(d time.Duration) { e.set(func(e *engine) { e.now = e.now.Add(d) }) }

func newCache(lasts time.Duration) (*engine, *CRLCache) {
	e := &engine{number: 1, lasts: lasts, now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	return e, &CRLCache{PKI: e, Now: e.clock}
}

func (e *engine) set(change func(*engine)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	change(e)
}

func (e *engine) count() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.fetches
}

func get(t *testing.T, s *CRLCache, wantHit bool, number uint64) {
	t.Helper()
	c, hit, err := s.CRL(context.Background())
	if err != nil {
		t.Fatalf("CRL: %v", err)
	}
	if hit != wantHit || c.Number != number {
		t.Errorf("hit %v with number %d, want %v with %d", hit, c.Number, wantHit, number)
	}
}

// TestLife walks the cache through its states (specification, "CRL caching").
func TestLife(t *testing.T) {
	t.Parallel()
	e, s := newCache(48 * time.Hour)
	if st := s.Status(); st.Cached || st.FetchedAt != nil || st.Age != "0s" || st.CacheTTL != "1h0m0s" || st.StaleTTL != "24h0m0s" {
		t.Errorf("empty: %+v", st)
	}
	if err := s.Renew(t.Context()); err != nil || e.count() != 0 {
		t.Errorf("renewal of nothing: %v, %d fetches", err, e.count())
	}
	get(t, s, false, 1)
	get(t, s, true, 1)
	e.pass(59 * time.Minute)
	get(t, s, true, 1)
	if st := s.Status(); !st.Cached || st.IsStale || st.Age != "59m0s" || st.ExpiresIn != "1m0s" || st.SizeBytes != 1 {
		t.Errorf("after 59 minutes: %+v", st)
	}
	e.pass(time.Minute)
	e.set(func(e *engine) { e.number = 2 })
	get(t, s, false, 2)

	e.set(func(e *engine) { e.down = true })
	e.pass(23 * time.Hour)
	get(t, s, true, 2)
	if st := s.Status(); !st.IsStale || st.ExpiresIn != "0s" {
		t.Errorf("stale: %+v", st)
	}
	e.pass(time.Hour)
	if _, _, err := s.CRL(t.Context()); !fault.Is(err, fault.VaultUnavailable) {
		t.Errorf("after 24 hours without the vault: %v", err)
	}
}

// TestNextUpdate: a list past its own nextUpdate is never served, whatever
// the stale window says.
func TestNextUpdate(t *testing.T) {
	t.Parallel()
	e, s := newCache(2 * time.Hour)
	get(t, s, false, 1)
	e.set(func(e *engine) { e.down = true })
	e.pass(2*time.Hour - time.Second)
	get(t, s, true, 1)
	e.pass(time.Second)
	if _, _, err := s.CRL(t.Context()); !fault.Is(err, fault.VaultUnavailable) || !errors.Is(err, vault.ErrUnavailable) {
		t.Errorf("past nextUpdate: %v", err)
	}
}

// TestEndedList: an engine whose list has expired is as good as away. A copy that has not expired
// is still served; without one there is none.
func TestEndedList(t *testing.T) {
	t.Parallel()
	_, none := newCache(-time.Second)
	if _, _, err := none.CRL(t.Context()); !fault.Is(err, fault.VaultUnavailable) || none.Status().Cached {
		t.Errorf("the first list has ended: %v, %+v", err, none.Status())
	}
	e, s := newCache(48 * time.Hour)
	get(t, s, false, 1)
	e.set(func(e *engine) { e.number, e.lasts = 2, 0 })
	e.pass(time.Hour)
	get(t, s, true, 1)
	if err := s.Refresh(t.Context()); !fault.Is(err, fault.VaultUnavailable) || !errors.Is(err, vault.ErrUnavailable) {
		t.Errorf("a revocation that the engine's list cannot show: %v", err)
	}
	get(t, s, true, 1)
}

// TestRefreshCoalesces: many revocations at once cause two fetches, and each
// caller sees a list that was fetched after it asked.
func TestRefreshCoalesces(t *testing.T) {
	t.Parallel()
	e, s := newCache(48 * time.Hour)
	e.gate = make(chan struct{})
	refresh := func(wg *sync.WaitGroup) {
		wg.Go(func() {
			if err := s.Refresh(context.Background()); err != nil {
				t.Errorf("refresh: %v", err)
			}
		})
	}
	var first, others sync.WaitGroup
	refresh(&first)
	for s.list("a").dirty.Load() < 1 {
		runtime.Gosched()
	}
	for range 49 {
		refresh(&others)
	}
	for s.list("a").dirty.Load() < 50 {
		runtime.Gosched()
	}
	close(e.gate)
	first.Wait()
	others.Wait()
	if n := e.count(); n > 2 {
		t.Errorf("%d fetches for 50 revocations at once", n)
	}
	e.set(func(e *engine) { e.number = 7 })
	if err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	get(t, s, true, 7)
}

// TestOlderListIsRefused: a vault that returns an older list, as one restored from a snapshot does,
// takes no revocations off the list.
func TestOlderListIsRefused(t *testing.T) {
	t.Parallel()
	e, s := newCache(48 * time.Hour)
	e.number = 5
	get(t, s, false, 5)
	e.set(func(e *engine) { e.number = 4 })
	if err := s.Refresh(t.Context()); !errors.Is(err, vault.ErrUnavailable) {
		t.Errorf("an older list: %v", err)
	}
	get(t, s, true, 5)
	e.set(func(e *engine) { e.number = 6 })
	if err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	get(t, s, true, 6)
}
