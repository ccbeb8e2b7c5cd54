package pki

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

// CRLCache holds what the PKI engine publishes. The list is fetched at once after a revocation. A
// vault whose list is past its nextUpdate counts as away; one whose list has a lower number than an
// earlier one of the same CA, as rolled back. Servers that share a vault follow each other's
// revocations, and keep the list in the database (SharedCRL), for a server that starts while the
// vault is away.
type CRLCache struct {
	PKI    vault.PKI
	Now    func() time.Time
	Shared SharedCRL    // nil: there is only one server
	Log    *slog.Logger // nil: nothing is logged
	// Note, if not nil, gets the CA (DER) and number of each list before a list with that number is
	// served.
	Note func(ctx context.Context, ca []byte, number uint64) error

	crl     atomic.Pointer[SignedCRL]
	mark    atomic.Int64              // of Shared, when the vault was last asked
	dirty   atomic.Int64              // counts revocations that the cache has to show
	mu      sync.Mutex                // one fetch at a time
	first   singleflight.Group        // of requests, while there is nothing to serve
	shown   int64                     // the count that the cached CRL shows; under mu
	refused atomic.Pointer[time.Time] // when the vault returned a list that was refused; nil: its last one was taken

	chain atomic.Pointer[[][]byte] // as the vault last returned it
	lent  atomic.Pointer[[][]byte] // as the database had it

	keeping sync.Mutex
	keep    atomic.Pointer[SignedCRL] // to be kept in the database
	kept    struct {                  // already kept there, by this server; under keeping
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

// SignedCRL is a cached list with what a response needs.
type SignedCRL struct {
	DER        []byte
	ETag       string // quoted, strong (RFC 9110, section 8.8.3)
	Number     uint64
	ThisUpdate time.Time
	NextUpdate time.Time
	FetchedAt  time.Time

	pem      func() (text []byte, etag string)
	index    func() (listIndex, error)
	ca       hash    // the CA that signed it
	borrowed bool    // from the database instead of the vault: never fresh
	older    *uint64 // the number of the vault's own list, if that is older; else nil
}

// PEM returns the list as PEM (RFC 7468, section 6), for programs such as nginx, with its ETag.
func (c *SignedCRL) PEM() (text []byte, etag string) { return c.pem() }

func inPEM(der []byte) func() (text []byte, etag string) {
	return sync.OnceValues(func() ([]byte, string) {
		text := pem.EncodeToMemory(&pem.Block{Type: "X509 CRL", Bytes: der})
		return text, ETag(text)
	})
}

// Age is the time since the fetch, in whole seconds.
func (c *SignedCRL) Age(now time.Time) time.Duration {
	return max(0, now.Sub(c.FetchedAt)).Truncate(time.Second)
}

func (c *SignedCRL) fresh(now time.Time) bool {
	return !c.borrowed && c.older == nil && now.Sub(c.FetchedAt) < CacheTTL && now.Before(c.NextUpdate)
}

// usable lists may be served. One that is newer than the vault's own serves until its nextUpdate.
func (c *SignedCRL) usable(now time.Time) bool {
	return (c.older != nil || now.Sub(c.FetchedAt) < StaleTTL) && now.Before(c.NextUpdate)
}

// CRL returns the current list and whether it came from the cache. A stale copy counts as a hit.
// VaultUnavailable if there is none that may be served.
func (c *CRLCache) CRL(ctx context.Context) (crl *SignedCRL, hit bool, err error) {
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
	list *SignedCRL
	hit  bool
}

// renewed is CRL when nothing is ready. It needs mu.
func (c *CRLCache) renewed(ctx context.Context) (crl *SignedCRL, hit bool, err error) {
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
func (c *CRLCache) ready() *SignedCRL {
	now := c.Now()
	list := c.crl.Load()
	if list != nil && (list.fresh(now) || list.usable(now) && c.refusedRecently(now)) {
		return list
	}
	return nil
}

func (c *CRLCache) usable() *SignedCRL {
	if list := c.crl.Load(); list != nil && list.usable(c.Now()) {
		return list
	}
	return nil
}

// Refresh fetches the list again because a revocation was added. Any number of concurrent callers
// cause at most two fetches, and each returns once the cached list shows its revocation.
func (c *CRLCache) Refresh(ctx context.Context) error {
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
func (c *CRLCache) Renew(ctx context.Context) error {
	if c.crl.Load() == nil {
		return nil
	}
	return c.Refresh(ctx)
}

// Reload is Renew, and also forgets the chain: the vault's CA may have been replaced.
func (c *CRLCache) Reload(ctx context.Context) error {
	c.chain.Store(nil)
	return c.Renew(ctx)
}

func (c *CRLCache) fetchWithin(ctx context.Context, d time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	return c.fetch(ctx)
}

// ETag is a strong entity tag of the content (RFC 9110, section 8.8.3).
func ETag(content []byte) string {
	sum := sha256.Sum256(content)
	return `"` + hex.EncodeToString(sum[:16]) + `"`
}
