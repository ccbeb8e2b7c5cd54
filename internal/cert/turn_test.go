package cert

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
)

// silentPKI answers nothing for a while.
type silentPKI struct {
	vault.PKI

	calls int
}

func (p *silentPKI) Revoke(context.Context, ...vault.Revocation) error {
	p.calls++
	<-time.After(10 * time.Second)
	return vault.ErrSlow
}

// TestSilentTurns: many who have revoked wait for a silent vault together, not one
// after the other; and who comes later asks it again.
func TestSilentTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		db, ca := &pendingStore{pending: []vault.Revocation{{Serial: "01"}}}, &silentPKI{}
		s := &Service{Store: db, PKI: ca, CRL: shownList{}, Now: time.Now}
		begin := time.Now()
		var group sync.WaitGroup
		for range 20 {
			group.Go(func() {
				if err := s.PublishRevocations(t.Context()); !fault.Is(err, fault.VaultUnavailable) {
					t.Errorf("%v", err)
				}
			})
		}
		group.Wait()
		if took := time.Since(begin); took != 10*time.Second || ca.calls != 1 {
			t.Errorf("it took %v, by %d calls", took, ca.calls)
		}
		if err := s.PublishRevocations(t.Context()); !fault.Is(err, fault.VaultUnavailable) || ca.calls != 2 {
			t.Errorf("later: %v, by %d calls", err, ca.calls)
		}
		s.PKI = &refusingPKI{refuses: func(string) bool { return false }}
		must.OK(t, s.PublishRevocations(t.Context()))
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		done := must.Get(s.publishing.take(t.Context()))(t)
		if _, err := s.publishing.take(ended); !errors.Is(err, context.Canceled) || !fault.Is(err, fault.VaultUnavailable) {
			t.Errorf("%v", err)
		}
		done(nil)
	})
}
