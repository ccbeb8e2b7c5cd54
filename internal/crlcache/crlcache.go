// Package crlcache caches what external systems fetch over and over: the CRL, the CA certificate
// and its chain (specification, "Public PKI endpoints").
//
// The CRL is kept for an hour, and fetched again at once after a revocation. While the vault is
// away a stale copy serves for up to 24 hours, but never past its own nextUpdate.
//
//	nothing ──fetch──▶ fresh ──1 h──▶ due ──fetch──▶ fresh
//	                                   ├─vault away──▶ stale ──24 h or nextUpdate──▶ nothing (503)
//	                                   └─vault older─▶ stale ──nextUpdate──▶ nothing (503)
//
// A vault whose list is past its nextUpdate counts as away. A vault counts as older if its list has
// a lower number than one of the same CA served before, as after a restore from a snapshot:
// revocations never leave the list.
//
// Servers that share a vault follow each other's revocations, and keep the list in the database
// (Shared), for a server that starts while the vault is away, and to recognise an older vault.
//
// Routes: GET /api/pki/crl, /crl/status, /ca, /ca_chain.
package crlcache

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

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
	Shared Shared       // nil: there is only one server
	Log    *slog.Logger // nil: nothing is logged
	// Note, if not nil, gets the CA (DER) and number of each list before a list with that number is
	// served.
	Note func(ctx context.Context, ca []byte, number uint64) error

	crl     atomic.Pointer[CRL]
	mark    atomic.Int64              // of Shared, when the vault was last asked
	dirty   atomic.Int64              // counts revocations that the cache has to show
	mu      sync.Mutex                // one fetch at a time
	first   singleflight.Group        // of requests, while there is nothing to serve
	shown   int64                     // the count that the cached CRL shows; under mu
	refused atomic.Pointer[time.Time] // when the vault returned a list that was refused; nil: its last one was taken

	chain atomic.Pointer[[][]byte] // as the vault last returned it
	lent  atomic.Pointer[[][]byte] // as the database had it

	keeping sync.Mutex
	keep    atomic.Pointer[CRL] // to be kept in the database
	kept    struct {            // already kept there, by this server; under keeping
		ca     hash
		number uint64
		at     time.Time
	}
}

// How long a fetch that a request waits for may take, likewise its questions to the database, and
// how long the vault is not asked again after its list was refused.
const (
	fetchTimeout = 20 * time.Second
	markTimeout  = time.Second
	copyTimeout  = 5 * time.Second
	refusedPause = time.Minute
)

// hash is the SHA-256 of a CA's certificate.
type hash = [sha256.Size]byte

// CRL is a cached list with what a response needs.
type CRL struct {
	DER        []byte
	ETag       string // quoted, strong (RFC 9110, section 8.8.3)
	Number     uint64
	ThisUpdate time.Time
	NextUpdate time.Time
	FetchedAt  time.Time

	pem      func() (text []byte, etag string)
	ca       hash    // the CA that signed it
	borrowed bool    // from the database instead of the vault: never fresh
	older    *uint64 // the number of the vault's own list, if that is older; else nil
}

// PEM returns the list as PEM (RFC 7468, section 6), for programs such as nginx, with its ETag.
func (c *CRL) PEM() (text []byte, etag string) { return c.pem() }

func inPEM(der []byte) func() (text []byte, etag string) {
	return sync.OnceValues(func() ([]byte, string) {
		text := pem.EncodeToMemory(&pem.Block{Type: "X509 CRL", Bytes: der})
		return text, ETag(text)
	})
}

// Age is the time since the fetch, in whole seconds.
func (c *CRL) Age(now time.Time) time.Duration {
	return max(0, now.Sub(c.FetchedAt)).Truncate(time.Second)
}

func (c *CRL) fresh(now time.Time) bool {
	return !c.borrowed && c.older == nil && now.Sub(c.FetchedAt) < CacheTTL && now.Before(c.NextUpdate)
}

// usable lists may be served. One that is newer than the vault's own serves until its nextUpdate.
func (c *CRL) usable(now time.Time) bool {
	return (c.older != nil || now.Sub(c.FetchedAt) < StaleTTL) && now.Before(c.NextUpdate)
}

// CRL returns the current list and whether it came from the cache. A stale copy counts as a hit.
// VaultUnavailable if there is none that may be served.
func (c *Cache) CRL(ctx context.Context) (crl *CRL, hit bool, err error) {
	if list := c.ready(); list != nil {
		return list, true, nil
	}
	ctx = context.WithoutCancel(ctx) // others may need this fetch, too
	if list := c.usable(); list != nil {
		if !c.mu.TryLock() { // one caller fetches; the others meanwhile take the stale copy
			return list, true, nil
		}
		defer c.mu.Unlock()
		return c.renewed(ctx)
	}
	// Without one, all callers wait for the same fetch and share its result.
	got, err, _ := c.first.Do("", func() (any, error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		list, cached, err := c.renewed(ctx)
		return answer{list, cached}, err
	})
	if err != nil {
		return nil, false, err
	}
	a, _ := got.(answer)
	return a.list, a.hit, nil
}

// answer is CRL's result.
type answer struct {
	list *CRL
	hit  bool
}

// renewed is CRL when nothing is ready. It needs mu.
func (c *Cache) renewed(ctx context.Context) (crl *CRL, hit bool, err error) {
	if list := c.ready(); list != nil { // another caller fetched it meanwhile
		return list, true, nil
	}
	if err := c.fetchWithin(ctx, fetchTimeout); err != nil {
		if c.usable() == nil {
			err = errors.Join(err, c.borrow(ctx))
		}
		if list := c.usable(); list != nil {
			return list, true, nil
		}
		return nil, false, fault.New(fault.VaultUnavailable, "crl", "The CRL is not available right now. Try again shortly.").With(err)
	}
	return c.crl.Load(), false, nil
}

// ready returns the cached list if the vault need not be asked: the list is fresh, or the vault has
// just returned one that was refused.
func (c *Cache) ready() *CRL {
	now := c.Now()
	list := c.crl.Load()
	if list != nil && (list.fresh(now) || list.usable(now) && c.refusedLately(now)) {
		return list
	}
	return nil
}

func (c *Cache) usable() *CRL {
	if list := c.crl.Load(); list != nil && list.usable(c.Now()) {
		return list
	}
	return nil
}

// Refresh fetches the list again because a revocation was added. Any number of concurrent callers
// cause at most two fetches, and each returns once the cached list shows its revocation.
func (c *Cache) Refresh(ctx context.Context) error {
	want := c.dirty.Add(1)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.shown >= want {
		return nil
	}
	return c.fetch(ctx)
}

// Renew fetches the list again if one is cached, so that it is never much older than the engine's.
// Before the first request nothing is cached, and the status says so.
func (c *Cache) Renew(ctx context.Context) error {
	if c.crl.Load() == nil {
		return nil
	}
	return c.Refresh(ctx)
}

// Anew also forgets the chain: the vault's CA may have been replaced.
func (c *Cache) Anew(ctx context.Context) error {
	c.chain.Store(nil)
	return c.Renew(ctx)
}

func (c *Cache) fetchWithin(ctx context.Context, d time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	return c.fetch(ctx)
}

// ETag is a strong entity tag of the content (RFC 9110, section 8.8.3).
func ETag(content []byte) string {
	sum := sha256.Sum256(content)
	return `"` + hex.EncodeToString(sum[:16]) + `"`
}
