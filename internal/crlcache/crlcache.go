// Package crlcache holds what external systems fetch over and over: the CRL,
// and with it the CA certificate and its chain (specification, "Public PKI
// endpoints").
//
// The CRL is kept for an hour. After a revocation it is fetched anew at
// once. While the vault is away a stale copy serves for up to 24 hours, but
// never past its own nextUpdate.
//
//	nothing ──fetch──▶ fresh ──1 h──▶ due ──fetch──▶ fresh
//	                                   └─vault away─▶ stale ──24 h or nextUpdate──▶ nothing (503)
//
// A vault whose list is past its nextUpdate counts as away.
//
// Where several servers share a vault, each follows what the others revoke, and
// each keeps the list in the database for one that starts while the vault is
// away (Shared).
//
// Routes: GET /api/pki/crl, /crl/status, /ca, /ca_chain.
package crlcache

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/vault"
)

// Lifetimes of the cached CRL (specification, "Limits").
const (
	CacheTTL = time.Hour
	StaleTTL = 24 * time.Hour
)

// Cache holds what the PKI engine publishes.
type Cache struct {
	PKI    vault.PKI
	Now    func() time.Time
	Shared Shared       // nil: there is one server alone
	Log    *slog.Logger // nil: what may fail is not told

	crl   atomic.Pointer[CRL]
	mark  atomic.Int64 // of Shared, when the cached CRL was fetched
	dirty atomic.Int64 // counts revocations that the cache has to show
	mu    sync.Mutex   // one fetch at a time
	shown int64        // the count that the cached CRL shows; under mu

	chain atomic.Pointer[[][]byte] // as the vault gave it last
}

const fetchTimeout = 20 * time.Second

// CRL is a cached list with what its answer needs.
type CRL struct {
	DER        []byte
	ETag       string // quoted, strong (RFC 9110, section 8.8.3)
	Number     uint64
	ThisUpdate time.Time
	NextUpdate time.Time
	FetchedAt  time.Time

	borrowed bool // from the database, in place of the vault's word: never fresh
}

// Age is the time since the fetch, in whole seconds.
func (c *CRL) Age(now time.Time) time.Duration {
	return max(0, now.Sub(c.FetchedAt)).Truncate(time.Second)
}

func (c *CRL) fresh(now time.Time) bool {
	return !c.borrowed && now.Sub(c.FetchedAt) < CacheTTL && now.Before(c.NextUpdate)
}

func (c *CRL) usable(now time.Time) bool {
	return now.Sub(c.FetchedAt) < StaleTTL && now.Before(c.NextUpdate)
}

// CRL returns the current list and whether it came from the cache. A stale
// copy counts as a hit. VaultUnavailable when there is none that may be
// served.
func (c *Cache) CRL(ctx context.Context) (crl *CRL, hit bool, err error) {
	if list := c.crl.Load(); list != nil && list.fresh(c.Now()) {
		return list, true, nil
	}
	// One fetches; whoever comes meanwhile takes the stale copy, if there is one.
	if !c.mu.TryLock() {
		if list := c.crl.Load(); list != nil && list.usable(c.Now()) {
			return list, true, nil
		}
		c.mu.Lock()
	}
	defer c.mu.Unlock()
	if list := c.crl.Load(); list != nil && list.fresh(c.Now()) { // somebody fetched it meanwhile
		return list, true, nil
	}
	// Others wait for this fetch: it does not end with the one who asked.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), fetchTimeout)
	defer cancel()
	if err := c.fetch(ctx); err != nil {
		if c.crl.Load() == nil {
			err = errors.Join(err, c.last(ctx))
		}
		if list := c.crl.Load(); list != nil && list.usable(c.Now()) {
			return list, true, nil
		}
		return nil, false, fault.New(fault.VaultUnavailable, "crl", "The CRL is not available at the moment. Try again shortly.").With(err)
	}
	return c.crl.Load(), false, nil
}

// Refresh fetches the list anew, since a revocation was added. Any number of
// callers at once cause at most two fetches, and each returns when the
// cached list shows its revocation.
func (c *Cache) Refresh(ctx context.Context) error {
	want := c.dirty.Add(1)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.shown >= want {
		return nil
	}
	return c.fetch(ctx)
}

// Renew fetches the list anew if one is cached, so that it is never much older
// than the engine's. Before the first request nothing is cached, and the
// status says so.
func (c *Cache) Renew(ctx context.Context) error {
	if c.crl.Load() == nil {
		return nil
	}
	return c.Refresh(ctx)
}

// fetch needs mu. A list that does not follow, like none at all, leaves the
// cached one in its place. VaultUnavailable.
func (c *Cache) fetch(ctx context.Context) error {
	shows := c.dirty.Load()
	var mark int64
	if c.Shared != nil {
		var err error
		if mark, err = c.Shared.CRLMark(ctx); err != nil {
			mark = c.mark.Load() // what was carried meanwhile is fetched again when the database is back
		}
	}
	list, err := c.PKI.CRL(ctx)
	if err == nil {
		err = c.follows(list, c.replaced(ctx))
	}
	if err != nil {
		return vault.Fault(err)
	}
	c.shown = shows
	c.mark.Store(mark)
	fetched := &CRL{
		DER: list.DER, ETag: ETag(list.DER), Number: list.Number,
		ThisUpdate: list.ThisUpdate, NextUpdate: list.NextUpdate, FetchedAt: c.Now(),
	}
	c.crl.Store(fetched)
	c.keep(ctx, fetched)
	return nil
}

// follows is ErrUnavailable for a list that takes nobody's place: one that has
// ended, since its engine makes none any more, or that is older than the cached
// one of the same CA.
func (c *Cache) follows(list vault.CRL, replaced bool) error {
	if !c.Now().Before(list.NextUpdate) {
		return fmt.Errorf("%w: its CRL ended %s", vault.ErrUnavailable, list.NextUpdate.UTC().Format(time.RFC3339))
	}
	if present := c.crl.Load(); present != nil && !present.borrowed && list.Number < present.Number && !replaced {
		return fmt.Errorf("%w: its CRL has number %d, and had %d before", vault.ErrUnavailable, list.Number, present.Number)
	}
	return nil
}

// ETag is a strong entity tag of the content (RFC 9110, section 8.8.3).
func ETag(content []byte) string {
	sum := sha256.Sum256(content)
	return `"` + hex.EncodeToString(sum[:16]) + `"`
}

// Status describes the cache (specification, "CRL cache status").
type Status struct {
	Cached    bool       `json:"cached"`
	SizeBytes int        `json:"size_bytes"`
	Age       string     `json:"age" doc:"duration since the last fetch"`
	ExpiresIn string     `json:"expires_in" doc:"duration until the next fetch is due"`
	FetchedAt *time.Time `json:"fetched_at" nullable:"true"`
	CacheTTL  string     `json:"cache_ttl" doc:"duration"`
	StaleTTL  string     `json:"stale_ttl" doc:"duration"`
	IsStale   bool       `json:"is_stale"`
}

// Status never fetches.
func (c *Cache) Status() Status {
	st := Status{Age: "0s", ExpiresIn: "0s", CacheTTL: CacheTTL.String(), StaleTTL: StaleTTL.String()}
	list := c.crl.Load()
	now := c.Now()
	if list == nil || !list.usable(now) {
		return st
	}
	at := list.FetchedAt.UTC()
	st.Cached, st.SizeBytes, st.FetchedAt = true, len(list.DER), &at
	st.Age = list.Age(now).String()
	st.ExpiresIn = max(0, CacheTTL-now.Sub(list.FetchedAt)).Truncate(time.Second).String()
	st.IsStale = !list.fresh(now)
	return st
}

// CA returns the issuing certificate, PEM.
func (c *Cache) CA(ctx context.Context) ([]byte, error) {
	chain, err := c.chainDER(ctx)
	if err != nil {
		return nil, err
	}
	return pemOf(chain[:1]), nil
}

// Chain returns the issuing certificate and those above it, PEM, root last.
func (c *Cache) Chain(ctx context.Context) ([]byte, error) {
	chain, err := c.chainDER(ctx)
	if err != nil {
		return nil, err
	}
	return pemOf(chain), nil
}

func (c *Cache) chainDER(ctx context.Context) ([][]byte, error) {
	chain, err := c.presentChain(ctx)
	if err == nil {
		return chain, nil
	}
	if kept := c.lastChain(ctx); kept != nil {
		return kept, nil
	}
	return nil, fault.New(fault.VaultUnavailable, "ca", "The CA certificate is not available at the moment. Try again shortly.").With(err)
}

// presentChain is the vault's own.
func (c *Cache) presentChain(ctx context.Context) ([][]byte, error) {
	if chain := c.chain.Load(); chain != nil {
		return *chain, nil
	}
	chain, err := c.PKI.Chain(ctx)
	if err != nil {
		return nil, err
	}
	if len(chain) == 0 {
		return nil, fmt.Errorf("%w: its chain is empty", vault.ErrUnavailable)
	}
	c.chain.Store(&chain)
	return chain, nil
}

// replaced tells whether the vault has another CA than before, whose lists
// have numbers of their own. Of a vault that only one server uses, the CA never
// changes while that runs.
func (c *Cache) replaced(ctx context.Context) bool {
	before := c.chain.Load()
	if c.Shared == nil || before == nil {
		return false
	}
	chain, err := c.PKI.Chain(ctx)
	if err != nil || len(chain) == 0 || bytes.Equal(chain[0], (*before)[0]) {
		return false
	}
	c.chain.Store(&chain)
	return true
}

func pemOf(ders [][]byte) []byte {
	var out []byte
	for _, der := range ders {
		out = append(out, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})...)
	}
	return out
}
