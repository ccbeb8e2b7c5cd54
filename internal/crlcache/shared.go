package crlcache

import (
	"context"
	"crypto/x509"
	"fmt"
	"time"
)

// Shared is what several servers know of one vault's list together, in their
// database.
type Shared interface {
	// CRLMark counts how often revocations were carried to the vault, by any
	// server: it is another number after each time.
	CRLMark(ctx context.Context) (int64, error)
	// KeepCRL keeps a list for a server that starts while the vault is away. Of
	// one CA the highest number stays, and of that the newest fetch.
	KeepCRL(ctx context.Context, c Copy) error
	// LastCRL is the copy that was fetched last; false when there is none.
	LastCRL(ctx context.Context) (Copy, bool, error)
}

// Copy is a list with the CA that signed it, as a server fetched them.
type Copy struct {
	Chain     [][]byte // DER, the CA that signed first, the root last
	DER       []byte
	Number    uint64
	FetchedAt time.Time
}

// followEvery is well below the second within which a revocation by one server
// stands on the list of all.
const followEvery = 250 * time.Millisecond

// Follow fetches the list anew whenever another server has carried revocations
// to the vault, until ctx ends or database or vault fail. Without Shared, or
// before the first request, there is nothing to follow.
func (c *Cache) Follow(ctx context.Context) error {
	ticker := time.NewTicker(followEvery)
	defer ticker.Stop()
	for {
		if err := c.look(ctx); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
	}
}

// look fetches the list if it is older than the last carried revocation.
func (c *Cache) look(ctx context.Context) error {
	if c.crl.Load() == nil {
		return nil
	}
	mark, err := c.Shared.CRLMark(ctx)
	if err != nil || mark == c.mark.Load() {
		return err
	}
	return c.Refresh(ctx)
}

// keep notes the present list for others. That it could not be noted is no
// reason to withhold the list: it is noted with the next fetch.
func (c *Cache) keep(ctx context.Context, list *CRL) {
	if c.Shared == nil {
		return
	}
	chain, err := c.presentChain(ctx)
	if err == nil {
		err = c.Shared.KeepCRL(ctx, Copy{Chain: chain, DER: list.DER, Number: list.Number, FetchedAt: list.FetchedAt})
	}
	if err != nil && c.Log != nil {
		c.Log.Warn("the CRL could not be kept for servers that start while the vault is away", "error", err)
	}
}

// last takes the list that any server fetched last, where this one has none
// and the vault does not answer. It must be one that a cache may serve still,
// signed by the CA beside it, and that by no other than the present one, where
// that is known.
func (c *Cache) last(ctx context.Context) error {
	if c.Shared == nil {
		return nil
	}
	kept, found, err := c.Shared.LastCRL(ctx)
	if err != nil || !found {
		return err
	}
	list, err := kept.list()
	if err != nil {
		return fmt.Errorf("the CRL kept in the database: %w", err)
	}
	if chain := c.chain.Load(); chain != nil && string((*chain)[0]) != string(kept.Chain[0]) {
		return nil
	}
	if !list.usable(c.Now()) {
		return nil
	}
	c.crl.CompareAndSwap(nil, list)
	return nil
}

// lastChain is the CA's chain beside that list; nil when there is none.
func (c *Cache) lastChain(ctx context.Context) [][]byte {
	if c.Shared == nil {
		return nil
	}
	kept, found, err := c.Shared.LastCRL(ctx)
	if err != nil || !found || len(kept.Chain) == 0 {
		return nil
	}
	return kept.Chain
}

// list is the copy as the cache holds it, if it is whole.
func (k Copy) list() (*CRL, error) {
	if len(k.Chain) == 0 {
		return nil, fmt.Errorf("its CA is missing")
	}
	ca, err := x509.ParseCertificate(k.Chain[0])
	if err != nil {
		return nil, err
	}
	parsed, err := x509.ParseRevocationList(k.DER)
	if err != nil {
		return nil, err
	}
	if err := parsed.CheckSignatureFrom(ca); err != nil {
		return nil, err
	}
	if parsed.Number == nil || !parsed.Number.IsUint64() || parsed.Number.Uint64() != k.Number {
		return nil, fmt.Errorf("its number is another one")
	}
	return &CRL{
		DER: k.DER, ETag: ETag(k.DER), Number: k.Number, ThisUpdate: parsed.ThisUpdate, NextUpdate: parsed.NextUpdate, FetchedAt: k.FetchedAt,
		borrowed: true,
	}, nil
}
