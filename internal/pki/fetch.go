package pki

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/keyward/keyward/internal/vault"
)

// fetch needs mu. A refused list, like none at all, leaves the cached one in place.
// VaultUnavailable.
func (l *caList) fetch(ctx context.Context) error {
	shows := l.dirty.Load()
	mark, reached := l.markNow(ctx)
	list, err := l.PKI.CRL(ctx, l.id)
	if err != nil {
		return vault.Fault(err)
	}
	newer := l.newer(list)
	if reached {
		if kept := l.newerCopy(ctx, list, newer); kept != nil {
			newer = kept
			// Another server may have fetched it since the vault returned ours.
			if list, err = l.PKI.CRL(ctx, l.id); err != nil {
				return vault.Fault(err)
			}
		}
	}
	l.seen.Store(mark)
	if err := l.judge(list, newer); err != nil {
		now := l.Now()
		l.refused.Store(&now)
		return vault.Fault(err)
	}
	l.note(ctx, list)
	l.take(list, shows)
	return nil
}

// markNow reads the mark of Shared. While the database is away it keeps the old one, so that what
// was published meanwhile is fetched again afterwards.
func (l *caList) markNow(ctx context.Context) (mark int64, reached bool) {
	if l.Shared == nil {
		return 0, false
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), markTimeout)
	defer cancel()
	mark, err := l.Shared.CRLMark(ctx)
	if err != nil {
		return l.seen.Load(), false
	}
	return mark, true
}

// newer returns the cached list if it is a later one of the same CA; nil otherwise.
func (l *caList) newer(list vault.CRL) *SignedCRL {
	if present := l.crl.Load(); present != nil && present.ca == sha256.Sum256(list.CA) && list.Number < present.Number {
		return present
	}
	return nil
}

// judge refuses a list that is past its nextUpdate, since its engine no longer makes any
// (ErrUnavailable), and one that is older than another of the same CA, which is served instead
// (ErrOutdated).
func (l *caList) judge(list vault.CRL, newer *SignedCRL) error {
	now := l.Now()
	if !now.Before(list.NextUpdate) {
		return fmt.Errorf("%w: its CRL ended %s", vault.ErrUnavailable, list.NextUpdate.UTC().Format(time.RFC3339))
	}
	if newer == nil || newer.ca != sha256.Sum256(list.CA) || list.Number >= newer.Number {
		return nil
	}
	kept, number := *newer, list.Number
	kept.older = &number
	if was := l.crl.Swap(&kept); (was == nil || was.older == nil) && l.Log != nil {
		l.Log.Error("the vault's CRL is older than one it returned before, as if restored from a snapshot: revocations may be "+
			"missing from it. The newer list is served until it expires; docs/operations.md says what to do",
			"number", number, "served", kept.Number, "until", kept.NextUpdate.UTC())
	}
	return fmt.Errorf("%w: it has number %d, and had %d before", vault.ErrOutdated, number, kept.Number)
}

// note reports a number that is about to be served. The list is served even if that fails.
func (l *caList) note(ctx context.Context, list vault.CRL) {
	before := l.crl.Load()
	if l.Note == nil || before != nil && before.ca == sha256.Sum256(list.CA) && before.Number >= list.Number {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), markTimeout)
	defer cancel()
	if err := l.Note(ctx, list.CA, list.Number); err != nil && l.Log != nil {
		l.Log.WarnContext(ctx, "could not record the CRL number", "number", list.Number, "error", err)
	}
}

// take puts the vault's list into the cache.
func (l *caList) take(list vault.CRL, shows int64) {
	l.shown = shows
	l.refused.Store(nil)
	fetched := &SignedCRL{
		pem: inPEM(list.DER), index: makeIndex(list.DER),
		DER: list.DER, ETag: ETag(list.DER), Number: list.Number, ca: sha256.Sum256(list.CA),
		ThisUpdate: list.ThisUpdate, NextUpdate: list.NextUpdate, FetchedAt: l.Now(),
	}
	if was := l.crl.Swap(fetched); was != nil && was.older != nil && l.Log != nil {
		l.Log.Warn("the vault's CRL is used again", "number", list.Number)
	}
	if l.Shared != nil {
		l.keep.Store(fetched)
	}
}

// refusedRecently reports whether the vault's list was refused just now.
func (l *caList) refusedRecently(now time.Time) bool {
	at := l.refused.Load()
	return at != nil && now.Sub(*at).Abs() < refusedPause
}

// RolledBack reports whether a list of the vault's own is older than the one served, and their numbers.
func (c *CRLCache) RolledBack() (vaults, served uint64, older bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, l := range c.byID {
		if list := l.crl.Load(); list != nil && list.older != nil {
			return *list.older, list.Number, true
		}
	}
	return 0, 0, false
}
