package cert

import (
	"context"
	"fmt"
	"sync"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/vault"
)

// turn admits one caller at a time. If it fails because the database or the vault is
// unavailable, those waiting get the same error: finding out anew one by one would
// exceed the time they have to answer. The zero value is free.
type turn struct {
	once sync.Once
	held chan struct{}

	mu       sync.Mutex
	failures int
	failure  error // the last one
}

// take waits for the turn. done releases it, with the outcome.
func (t *turn) take(ctx context.Context) (done func(error), err error) {
	t.once.Do(func() { t.held = make(chan struct{}, 1) })
	before, _ := t.failed()
	select {
	case t.held <- struct{}{}:
	case <-ctx.Done():
		return nil, vault.Fault(fmt.Errorf("%w: waiting to carry revocations: %w", vault.ErrUnavailable, ctx.Err()))
	}
	if now, failure := t.failed(); now != before {
		<-t.held
		return nil, failure
	}
	return func(err error) {
		if fault.Is(err, fault.DatabaseUnavailable) || fault.Is(err, fault.VaultUnavailable) {
			t.mu.Lock()
			t.failures, t.failure = t.failures+1, err
			t.mu.Unlock()
		}
		<-t.held
	}, nil
}

func (t *turn) failed() (count int, last error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.failures, t.failure
}
