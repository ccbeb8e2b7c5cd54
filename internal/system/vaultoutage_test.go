package system_test

import (
	"context"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/system"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
)

// TestReach: the time counts from the first failed look to the next successful
// one, whatever the failures in between.
func TestReach(t *testing.T) {
	t.Parallel()
	now, state := time.Unix(1_700_000_000, 0), vault.Connected
	r := &system.VaultOutage{State: func(context.Context) vault.State { return state }, Now: func() time.Time { return now }}
	look := func(s vault.State, want time.Duration) {
		t.Helper()
		state = s
		must.OK(t, r.Poll(t.Context()))
		if got := r.Duration(); got != want {
			t.Errorf("%s: away for %v, want %v", s, got, want)
		}
		now = now.Add(10 * time.Second)
	}
	if r.Duration() != 0 {
		t.Error("it is away before anybody looked")
	}
	look(vault.Connected, 0)
	look(vault.Sealed, 1)
	look(vault.Disconnected, 10*time.Second)
	look(vault.Sealed, 20*time.Second)
	look(vault.Connected, 0)
	look(vault.Disconnected, 1)
	stopping, stop := context.WithCancel(t.Context())
	stop()
	state = vault.Connected
	must.OK(t, r.Poll(stopping))
	if r.Duration() != 10*time.Second {
		t.Error("a look that the end of the server cut counts")
	}
}
