package remote_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/remote"
	"github.com/keyward/keyward/internal/vault/vaulttest"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/vaultserver"
)

// TestLongCallEnds: nobody waits for the CRL of a vault whose health does not
// answer, however much patience there is.
func TestLongCallEnds(t *testing.T) {
	t.Parallel()
	e, proxy := proxied(t, func(o *remote.Options) { o.SetPatience(time.Hour) })
	connected(t, e)
	issued := must.Get(e.Sign(t.Context(), vault.SignRequest{CSR: vaulttest.NewCSR(t, vaulttest.RSAKey()), CommonName: "zoe"}))(t)
	held := holding(proxy, "/crl/rotate", "/nothing", "/sys/health")
	done := make(chan error, 1)
	go func() {
		done <- e.Revoke(t.Context(), vault.Revocation{Serial: issued.Serial, At: time.Now(), Reason: vault.Superseded})
	}()
	await.From(t, "the CRL is being built", held)
	soon, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := e.Get(soon, "nothing"); !errors.Is(err, vault.ErrSlow) {
		t.Errorf("%v", err)
	}
	if err := await.From(t, "the end of the revocation", done); !errors.Is(err, vault.ErrUnavailable) {
		t.Errorf("%v", err)
	}
	proxy.Fault(nil)
	await.That(t, "it is well again", func() bool { return works(t, e) })
	must.OK(t, e.Revoke(t.Context(), vault.Revocation{Serial: issued.Serial, At: time.Now(), Reason: vault.Superseded}))
}

// TestForgottenConnections: connections that something on the way has forgotten
// cost one call, not one each.
func TestForgottenConnections(t *testing.T) {
	t.Parallel()
	e, proxy := proxied(t, func(o *remote.Options) { o.Timeout = time.Minute })
	connected(t, e)
	const several = 8
	var mu sync.Mutex
	old := map[string]bool{}
	seen := func() int { mu.Lock(); defer mu.Unlock(); return len(old) }
	proxy.Fault(func(r *http.Request) vaultserver.Fault {
		mu.Lock()
		defer mu.Unlock()
		old[r.RemoteAddr] = true
		return vaultserver.Hold
	})
	var group sync.WaitGroup
	for range several {
		group.Go(func() {
			if _, err := e.Get(t.Context(), "nothing"); !errors.Is(err, vault.ErrNotFound) {
				t.Errorf("%v", err)
			}
		})
	}
	await.That(t, "each call has a connection", func() bool { return seen() == several })
	proxy.Fault(nil)
	group.Wait()
	before := proxy.Seen(vaultserver.Hold)
	proxy.Fault(func(r *http.Request) vaultserver.Fault {
		mu.Lock()
		defer mu.Unlock()
		if old[r.RemoteAddr] {
			return vaultserver.Hold
		}
		return vaultserver.Pass
	})
	ends := ending{t.Context(), make(chan struct{})}
	group.Go(func() {
		await.That(t, "a request has gone", func() bool { return proxy.Seen(vaultserver.Hold) > before })
		close(ends.now)
	})
	if _, err := e.Get(ends, "nothing"); !errors.Is(err, vault.ErrSlow) {
		t.Errorf("%v", err)
	}
	group.Wait()
	await.That(t, "it works", func() bool { return works(t, e) })
	if n := proxy.Seen(vaultserver.Hold) - before; n != 1 {
		t.Errorf("%d requests went by connections that were forgotten", n)
	}
}

// ending is a context whose time is over when a test says so.
type ending struct {
	context.Context

	now chan struct{}
}

func (e ending) Done() <-chan struct{} { return e.now }

func (e ending) Err() error {
	select {
	case <-e.now:
		return context.DeadlineExceeded
	default:
		return nil
	}
}
