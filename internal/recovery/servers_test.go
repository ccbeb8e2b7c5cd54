//go:build exhaustive

package recovery_test

import (
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/recovery"
	"github.com/keyward/keyward/test/must"
)

// TestServers: of three servers with clocks apart, what one finds or accepts, all
// know at their next look.
func TestServers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var servers []*server
	for _, apart := range []time.Duration{0, 5 * time.Minute, -30 * time.Second} {
		servers = append(servers, w.server(func() time.Time { return time.Now().Add(apart) }))
	}
	all := func(when, want string) {
		t.Helper()
		for i, s := range servers {
			must.OK(t, s.guard.Look(t.Context()))
			if got := found(s.guard); got != want {
				t.Fatalf("%s: server %d finds %qolder, want %q\n%s", when, i, got, want, w.log.String())
			}
		}
	}
	for _, s := range servers {
		must.OK(t, s.guard.Start(t.Context()))
	}
	all("in quiet times", "")
	answer := servers[1].guard.Older(t.Context(), token, isOlder)
	if !fault.Is(answer, fault.RecoveryRequired) {
		t.Errorf("an older document: %v", answer)
	}
	all("found by one", "vault ")
	if lines := servers[2].guard.VaultOlder().Lines(); len(lines) != 1 || lines[0] != "the current secrets of at least one token: abcd" {
		t.Errorf("told %q", lines)
	}
	must.OK(t, servers[0].guard.AcceptVault(t.Context(), recovery.By{}))
	all("accepted by one", "")
	if d := must.Get(w.db.Device(t.Context(), access.All(), token))(t); d.SecretsCounter != 0 {
		t.Errorf("the counter is %d", d.SecretsCounter)
	}
}
