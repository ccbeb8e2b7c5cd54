// Package crlcache holds what external systems fetch over and over: the CRL,
// and with it the CA certificate and its chain (specification, "Public PKI
// endpoints").
//
// The CRL is kept for an hour. After a revocation it is fetched anew at
// once. While the vault is away a stale copy serves for up to 24 hours, but
// never past its own nextUpdate.
//
//	nothing ──fetch──▶ fresh ──1 h──▶ due ──fetch──▶ fresh
//	                                   ├─vault away──▶ stale ──24 h or nextUpdate──▶ nothing (503)
//	                                   └─vault older─▶ stale ──nextUpdate──▶ nothing (503)
//
// A vault whose list is past its nextUpdate counts as away. One whose list has a
// lower number than one of the same CA that was served before is older, as one
// that was put back from a snapshot: revocations never leave the list.
//
// Where several servers share a vault, each follows what the others revoke, and
// each keeps the list in the database (Shared): for one that starts while the
// vault is away, and to know an older vault by.
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
	Shared Shared       // nil: there is one server alone
	Log    *slog.Logger // nil: what may fail is not told
	// Note, when not nil, is told of each number before a list with it is served:
	// of which CA (DER), and the number.
	Note func(ctx context.Context, ca []byte, number uint64) error

	crl     atomic.Pointer[CRL]
	mark    atomic.Int64              // of Shared, when the vault was asked last
	dirty   atomic.Int64              // counts revocations that the cache has to show
	mu      sync.Mutex                // one fetch at a time
	first   singleflight.Group        // of requests, while there is nothing to serve
	shown   int64                     // the count that the cached CRL shows; under mu
	refused atomic.Pointer[time.Time] // when the vault gave a list that was not taken; nil: its last one was

	chain atomic.Pointer[[][]byte] // as the vault gave it last
	lent  atomic.Pointer[[][]byte] // as it stood in the database

	keeping sync.Mutex
	keep    atomic.Pointer[CRL] // what is to be kept in the database
	kept    struct {            // what was, by this server; under keeping
		ca     hash
		number uint64
		at     time.Time
	}
}

// How long a fetch may take that a request waits for, what it asks of the
// database, and how long a list that was not taken is not asked for again.
const (
	fetchTimeout = 20 * time.Second
	markTimeout  = time.Second
	copyTimeout  = 5 * time.Second
	refusedPause = time.Minute
)

// hash is the SHA-256 of a CA's certificate.
type hash = [sha256.Size]byte

// CRL is a cached list with what its answer needs.
type CRL struct {
	DER        []byte
	ETag       string // quoted, strong (RFC 9110, section 8.8.3)
	Number     uint64
	ThisUpdate time.Time
	NextUpdate time.Time
	FetchedAt  time.Time

	pem      func() (text []byte, etag string)
	ca       hash    // that signed it
	borrowed bool    // from the database, in place of the vault's word: never fresh
	older    *uint64 // the number of the vault's own list, which is older; nil: it is not
}

// PEM is the list as PEM (RFC 7468, section 6), for programs such as nginx, with its ETag.
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

// usable lists may be served. One that is newer than the vault's own is the last
// word until it ends.
func (c *CRL) usable(now time.Time) bool {
	return (c.older != nil || now.Sub(c.FetchedAt) < StaleTTL) && now.Before(c.NextUpdate)
}

// CRL returns the current list and whether it came from the cache. A stale
// copy counts as a hit. VaultUnavailable when there is none that may be
// served.
func (c *Cache) CRL(ctx context.Context) (crl *CRL, hit bool, err error) {
	if list := c.ready(); list != nil {
		return list, true, nil
	}
	ctx = context.WithoutCancel(ctx) // others may need this fetch, too
	if list := c.usable(); list != nil {
		if !c.mu.TryLock() { // one fetches; whoever comes meanwhile takes the stale copy
			return list, true, nil
		}
		defer c.mu.Unlock()
		return c.renewed(ctx)
	}
	// Without one, all wait for the same fetch and get what comes of it.
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

// answer is what CRL gives.
type answer struct {
	list *CRL
	hit  bool
}

// renewed needs mu. It is CRL when nothing is ready.
func (c *Cache) renewed(ctx context.Context) (crl *CRL, hit bool, err error) {
	if list := c.ready(); list != nil { // somebody fetched it meanwhile
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

// ready is the cached list where the vault need not be asked: it is fresh, or
// the vault has just given one that was not taken.
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

// Anew forgets the chain, too: the vault's CA may have been replaced.
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
