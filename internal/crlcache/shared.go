package crlcache

import (
	"context"
	"time"
)

// Shared is what several servers know of one vault's list together, in their
// database.
type Shared interface {
	// CRLMark counts how often revocations were carried to the vault, by any
	// server: it is another number after each time.
	CRLMark(ctx context.Context) (int64, error)
	// KeepCRL keeps a list for other servers. Of one CA the highest number stays,
	// and of that the newest time of a fetch, which alone is written then.
	KeepCRL(ctx context.Context, c Copy) error
	// LastCRL is the copy that was fetched last; false when there is none.
	LastCRL(ctx context.Context) (Copy, bool, error)
	// NewerCRL is the copy of a CA, DER, if its number is higher than that;
	// false when it is not, or there is none.
	NewerCRL(ctx context.Context, ca []byte, number uint64) (Copy, bool, error)
	// NewestCertificate is the one that was recorded last, DER; nil when there is
	// none.
	NewestCertificate(ctx context.Context) ([]byte, error)
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

// look fetches the list if it is older than the last carried revocation, or if
// the vault's was refused a while ago.
func (c *Cache) look(ctx context.Context) error {
	if c.crl.Load() == nil {
		return nil
	}
	mark, err := c.Shared.CRLMark(ctx)
	if err != nil {
		return err
	}
	if again := c.refused.Load() != nil && !c.refusedLately(c.Now()); mark == c.mark.Load() && !again {
		return nil
	}
	return c.Refresh(ctx)
}
