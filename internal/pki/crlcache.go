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

// CRLCache holds what the PKI engine publishes: its CAs, and a list of each. A list is fetched at once
// after a revocation. A vault whose list is past its nextUpdate counts as away; one whose list has a
// lower number than an earlier one of the same CA, as rolled back. Servers that share a vault follow each
// other's revocations, and keep the lists in the database (SharedCRL), for a server that starts while the
// vault is away.
type CRLCache struct {
	PKI    vault.PKI
	Now    func() time.Time
	Shared SharedCRL    // nil: there is only one server
	Log    *slog.Logger // nil: nothing is logged
	// Note, if not nil, gets the CA (DER) and number of each list before a list with that number is
	// served.
	Note func(ctx context.Context, ca []byte, number uint64) error
	// Ended, if not nil, reports whether the last certificate of a CA, by ID, has ended; Unused, whether it has
	// signed none. Neither counts for the active one.
	Ended, Unused func(id string) bool

	known   atomic.Pointer[[]vault.CA] // as the vault last returned them
	lent    atomic.Pointer[[]vault.CA] // as the database had them
	loading sync.Mutex                 // one question at a time
	asked   time.Time                  // when the vault was last asked for them; under loading
	first   singleflight.Group         // of requests, while no CA is known

	mu      sync.Mutex
	byID    map[string]*caList // under mu
	keeping sync.Mutex
}

// caList holds the list of one CA.
type caList struct {
	*CRLCache

	id      string
	crl     atomic.Pointer[SignedCRL]
	seen    atomic.Int64              // the mark of Shared when the vault was last asked
	dirty   atomic.Int64              // counts revocations that the cache has to show
	mu      sync.Mutex                // one fetch at a time
	first   singleflight.Group        // of requests, while there is nothing to serve
	shown   int64                     // the count that the cached CRL shows; under mu
	refused atomic.Pointer[time.Time] // when the vault returned a list that was refused; nil: its last one was taken

	keep atomic.Pointer[SignedCRL] // to be kept in the database
	kept struct {                  // already kept there, by this server; under keeping
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

// CRL returns the current list of the CA that the addresses without an ID belong to, and whether it came
// from the cache. A stale copy counts as a hit. VaultUnavailable if there is none that may be served.
func (c *CRLCache) CRL(ctx context.Context) (crl *SignedCRL, hit bool, err error) {
	ca, err := c.main(ctx)
	if err != nil {
		return nil, false, noCRL(err)
	}
	return c.list(ca.ID).current(ctx)
}

// CRLOf is CRL for the CA with that ID; NotFound.
func (c *CRLCache) CRLOf(ctx context.Context, id string) (crl *SignedCRL, hit bool, err error) {
	ca, err := c.ca(ctx, id)
	if err != nil {
		return nil, false, err
	}
	return c.list(ca.ID).current(ctx)
}

func noCRL(err error) error {
	return fault.New(fault.VaultUnavailable, "crl", "The CRL is not available right now. Try again shortly.").With(err)
}

// list returns the list of a CA that there is.
func (c *CRLCache) list(id string) *caList {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byID == nil {
		c.byID = map[string]*caList{}
	}
	if c.byID[id] == nil {
		c.byID[id] = &caList{CRLCache: c, id: id}
	}
	return c.byID[id]
}

// lists returns those of all CAs that sign any, in the order of CAs.
func (c *CRLCache) lists(cas []vault.CA) (list []*caList) {
	for _, ca := range cas {
		if len(ca.Chain) > 0 {
			list = append(list, c.list(ca.ID))
		}
	}
	return list
}

func (l *caList) current(ctx context.Context) (crl *SignedCRL, hit bool, err error) {
	if list := l.ready(); list != nil {
		return list, true, nil
	}
	ctx = context.WithoutCancel(ctx) // others may need this fetch, too
	if list := l.usable(); list != nil {
		if !l.mu.TryLock() { // one caller fetches; the others meanwhile take the stale copy
			return list, true, nil
		}
		defer l.mu.Unlock()
		return l.renewed(ctx)
	}
	// Without one, all callers wait for the same fetch and share its result.
	got, err, _ := l.first.Do("", func() (any, error) {
		l.mu.Lock()
		defer l.mu.Unlock()
		list, cached, err := l.renewed(ctx)
		return answer{list, cached}, err
	})
	if err != nil {
		return nil, false, err
	}
	a, _ := got.(answer)
	return a.list, a.hit, nil
}

// answer is current's result.
type answer struct {
	list *SignedCRL
	hit  bool
}

// renewed is current when nothing is ready. It needs mu.
func (l *caList) renewed(ctx context.Context) (crl *SignedCRL, hit bool, err error) {
	if list := l.ready(); list != nil { // another caller fetched it meanwhile
		return list, true, nil
	}
	if l.usable() == nil && l.known.Load() == nil { // the vault did not even name its CAs just now
		_ = l.borrow(ctx) // tried again below
		if list := l.usable(); list != nil {
			return list, true, nil
		}
	}
	if err := l.fetchWithin(ctx, fetchTimeout); err != nil {
		if l.usable() == nil {
			err = errors.Join(err, l.borrow(ctx))
		}
		if list := l.usable(); list != nil {
			return list, true, nil
		}
		return nil, false, noCRL(err)
	}
	return l.crl.Load(), false, nil
}

// ready returns the cached list if the vault need not be asked: the list is fresh, or the vault has
// just returned one that was refused.
func (l *caList) ready() *SignedCRL {
	now := l.Now()
	list := l.crl.Load()
	if list != nil && (list.fresh(now) || list.usable(now) && l.refusedRecently(now)) {
		return list
	}
	return nil
}

func (l *caList) usable() *SignedCRL {
	if list := l.crl.Load(); list != nil && list.usable(l.Now()) {
		return list
	}
	return nil
}

// Refresh fetches the lists again because a revocation was added. Any number of concurrent callers
// cause at most two fetches, and each returns once the cached list shows its revocation. The final list of
// a CA whose last certificate has ended is not fetched again.
func (c *CRLCache) Refresh(ctx context.Context) error {
	cas, err := c.load(ctx)
	if err != nil {
		return vault.Fault(err)
	}
	for _, ca := range cas {
		if len(ca.Chain) > 0 && !c.ended(ca) {
			err = errors.Join(err, c.list(ca.ID).refresh(ctx))
		}
	}
	return err
}

func (c *CRLCache) ended(ca vault.CA) bool { return !ca.Active && c.Ended != nil && c.Ended(ca.ID) }

func (l *caList) refresh(ctx context.Context) error {
	want := l.dirty.Add(1)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shown >= want {
		return nil
	}
	return l.fetch(ctx)
}

// Renew fetches again the lists that are cached, so that none is ever much older than the engine's.
// Before the first request nothing is cached, and the status says so.
func (c *CRLCache) Renew(ctx context.Context) error {
	if !c.cached() {
		return nil
	}
	return c.Refresh(ctx)
}

// cached reports whether any list is.
func (c *CRLCache) cached() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, l := range c.byID {
		if l.crl.Load() != nil {
			return true
		}
	}
	return false
}

// Reload is Renew after the vault's CAs may have been replaced.
func (c *CRLCache) Reload(ctx context.Context) error {
	return errors.Join(c.Look(ctx), c.Renew(ctx))
}

func (l *caList) fetchWithin(ctx context.Context, d time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	return l.fetch(ctx)
}

// ETag is a strong entity tag of the content (RFC 9110, section 8.8.3).
func ETag(content []byte) string {
	sum := sha256.Sum256(content)
	return `"` + hex.EncodeToString(sum[:16]) + `"`
}
