package system

import (
	"context"
	"sync"
	"time"

	"github.com/keyward/keyward/internal/vault"
)

// Reach knows for how long the vault has been out of this process's reach. The
// zero value with its fields set is ready; before the first Look it is there.
type Reach struct {
	State func(context.Context) vault.State
	Now   func() time.Time

	mu    sync.Mutex
	since time.Time // of the first look that did not find it; zero while it is there
}

// Look asks the vault once. It never fails: that the vault is away is what it
// is for.
func (r *Reach) Look(ctx context.Context) error {
	there := r.State(ctx) == vault.Connected
	if ctx.Err() != nil { // the server stops
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

// Away is for how long the vault has been away, 0 when it is there.
func (r *Reach) Away() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.since.IsZero() {
		return 0
	}
	return max(r.Now().Sub(r.since), 1)
}
