package pki

import (
	"context"
	"time"
)

// SharedCRL is what several servers share, in their database, about one vault's list.
type SharedCRL interface {
	// CRLMark changes each time that any server has published revocations to the vault.
	CRLMark(ctx context.Context) (int64, error)
	// KeepCRL keeps a list for other servers. Per CA the highest number stays; for the same number
	// only the newest time of a fetch is written.
	KeepCRL(ctx context.Context, c CRLCopy) error
	// CRLCopies returns the newest copy of each CA, the one fetched last first.
	CRLCopies(ctx context.Context) ([]CRLCopy, error)
	// NewerCRL returns the copy of a CA, DER, if its number is higher than number; false if not, or
	// if there is none.
	NewerCRL(ctx context.Context, ca []byte, number uint64) (CRLCopy, bool, error)
	// NewestCertificate returns the certificate that was recorded last of an issuer, by its distinguished
	// name (RFC 4514), or of any if that is empty: DER; nil if there is none.
	NewestCertificate(ctx context.Context, issuer string) ([]byte, error)
}

// followEvery is well below the second within which one server's revocation is on the list of all.
const followEvery = 250 * time.Millisecond

// Follow fetches the list again whenever another server has published revocations to the vault,
// until ctx ends or the database or vault fails. It needs Shared. Before the first request it does
// nothing.
func (c *CRLCache) Follow(ctx context.Context) error {
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

// look fetches the lists if one is older than the last published revocation, or if the vault's was
// refused a while ago.
func (c *CRLCache) look(ctx context.Context) error {
	if !c.cached() {
		return nil
	}
	mark, err := c.Shared.CRLMark(ctx)
	if err != nil || !c.behind(mark) {
		return err
	}
	return c.Refresh(ctx)
}

func (c *CRLCache) behind(mark int64) bool {
	for _, ca := range c.Known() {
		l := c.list(ca.ID)
		if l.crl.Load() != nil && (mark != l.seen.Load() || l.refused.Load() != nil && !l.refusedRecently(c.Now())) && !c.ended(ca) {
			return true
		}
	}
	return false
}
