package system

import (
	"context"
	"sync"
	"time"

	"github.com/keyward/keyward/internal/vault"
)

// VaultOutage tracks how long this process has been unable to reach the vault. The
// zero value with its exported fields set is ready; before the first Look the
// vault counts as reachable.
type VaultOutage struct {
	State func(context.Context) vault.State
	Now   func() time.Time

	mu    sync.Mutex
	since time.Time // of the first look that failed; zero while the vault is reachable
}

// Poll checks the vault once. It never returns an error: unreachable is a valid result.
func (r *VaultOutage) Poll(ctx context.Context) error {
	there := r.State(ctx) == vault.Connected
	if ctx.Err() != nil { // the server is stopping
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case there:
		r.since = time.Time{}
	case r.since.IsZero():
		r.since = r.Now()
	}
	return nil
}

// Duration returns how long the vault has been unreachable, 0 if it is reachable.
func (r *VaultOutage) Duration() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.since.IsZero() {
		return 0
	}
	return max(r.Now().Sub(r.since), 1)
}
