package pki

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/keyward/keyward/internal/vault"
)

// fetch needs mu. A refused list, like none at all, leaves the cached one in place.
// VaultUnavailable.
func (c *CRLCache) fetch(ctx context.Context) error {
	shows := c.dirty.Load()
	mark, reached := c.markNow(ctx)
	list, err := c.PKI.CRL(ctx)
	if err != nil {
		return vault.Fault(err)
	}
	newer := c.newer(list)
	if reached {
		if kept := c.newerCopy(ctx, list, newer); kept != nil {
			newer = kept
			// Another server may have fetched it since the vault returned ours.
			if list, err = c.PKI.CRL(ctx); err != nil {
				return vault.Fault(err)
			}
		}
	}
	c.mark.Store(mark)
	if err := c.judge(list, newer); err != nil {
		now := c.Now()
		c.refused.Store(&now)
		return vault.Fault(err)
	}
	c.note(ctx, list)
	c.take(list, shows)
	if c.Shared != nil {
		// The chain is kept with the list, and by then the vault may be away.
		_, _ = c.presentChain(ctx)
	}
	return nil
}

// markNow reads the mark of Shared. While the database is away it keeps the old one, so that what
// was published meanwhile is fetched again afterwards.
func (c *CRLCache) markNow(ctx context.Context) (mark int64, reached bool) {
	if c.Shared == nil {
		return 0, false
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), markTimeout)
	defer cancel()
	mark, err := c.Shared.CRLMark(ctx)
	if err != nil {
		return c.mark.Load(), false
	}
	return mark, true
}

// newer returns the cached list if it is a later one of the same CA; nil otherwise.
func (c *CRLCache) newer(list vault.CRL) *SignedCRL {
	if present := c.crl.Load(); present != nil && present.ca == sha256.Sum256(list.CA) && list.Number < present.Number {
		return present
	}
	return nil
}

// judge refuses a list that is past its nextUpdate, since its engine no longer makes any
// (ErrUnavailable), and one that is older than another of the same CA, which is served instead
// (ErrOutdated).
func (c *CRLCache) judge(list vault.CRL, newer *SignedCRL) error {
	now := c.Now()
	if !now.Before(list.NextUpdate) {
		return fmt.Errorf("%w: its CRL ended %s", vault.ErrUnavailable, list.NextUpdate.UTC().Format(time.RFC3339))
	}
	if newer == nil || newer.ca != sha256.Sum256(list.CA) || list.Number >= newer.Number {
		return nil
	}
	kept, number := *newer, list.Number
	kept.older = &number
	if was := c.crl.Swap(&kept); (was == nil || was.older == nil) && c.Log != nil {
		c.Log.Error("the vault's CRL is older than one it returned before, as if restored from a snapshot: revocations may be "+
			"missing from it. The newer list is served until it expires; docs/operations.md says what to do",
			"number", number, "served", kept.Number, "until", kept.NextUpdate.UTC())
	}
	return fmt.Errorf("%w: it has number %d, and had %d before", vault.ErrOutdated, number, kept.Number)
}

// note reports a number that is about to be served. The list is served even if that fails.
func (c *CRLCache) note(ctx context.Context, list vault.CRL) {
	before := c.crl.Load()
	if c.Note == nil || before != nil && before.ca == sha256.Sum256(list.CA) && before.Number >= list.Number {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), markTimeout)
	defer cancel()
	if err := c.Note(ctx, list.CA, list.Number); err != nil && c.Log != nil {
		c.Log.WarnContext(ctx, "could not record the CRL number", "number", list.Number, "error", err)
	}
}

// take puts the vault's list into the cache.
func (c *CRLCache) take(list vault.CRL, shows int64) {
	c.shown = shows
	c.refused.Store(nil)
	fetched := &SignedCRL{
		pem: inPEM(list.DER), index: makeIndex(list.DER),
		DER: list.DER, ETag: ETag(list.DER), Number: list.Number, ca: sha256.Sum256(list.CA),
		ThisUpdate: list.ThisUpdate, NextUpdate: list.NextUpdate, FetchedAt: c.Now(),
	}
	if was := c.crl.Swap(fetched); was != nil && was.older != nil && c.Log != nil {
		c.Log.Warn("the vault's CRL is used again", "number", list.Number)
	}
	if chain := c.chain.Load(); chain != nil && len(list.CA) > 0 && !bytes.Equal((*chain)[0], list.CA) {
		c.chain.CompareAndSwap(chain, nil) // there is another CA
	}
	if c.Shared != nil {
		c.keep.Store(fetched)
	}
}

// refusedRecently reports whether the vault's list was refused just now.
func (c *CRLCache) refusedRecently(now time.Time) bool {
	at := c.refused.Load()
	return at != nil && now.Sub(*at).Abs() < refusedPause
}

// RolledBack reports whether the vault's own list is older than the one served, and their numbers.
func (c *CRLCache) RolledBack() (vaults, served uint64, older bool) {
	list := c.crl.Load()
	if list == nil || list.older == nil {
		return 0, 0, false
	}
	return *list.older, list.Number, true
}
