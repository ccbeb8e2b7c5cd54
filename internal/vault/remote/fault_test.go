package remote_test

import (
	"errors"
	"net/http"
	"strings"
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

// proxied is an engine with a proxy before its vault.
func proxied(t *testing.T, change func(*remote.Options)) (*remote.Engine, *vaultserver.Proxy) {
	t.Helper()
	server := vaultserver.Shared(t)
	o := server.Prepared(t)
	proxy := server.Proxy(t)
	o.Address, o.CACert = proxy.Address, nil
	change(&o)
	return open(t, o), proxy
}

func writes(r *http.Request) bool { return r.Method == http.MethodPost }

// TestAnswerLost: a call that happened but was not answered is unavailable to the caller, has
// happened once, and is not sent again.
func TestAnswerLost(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]vaultserver.Fault{"before": vaultserver.CutBefore, "after": vaultserver.CutAfter} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, proxy := proxied(t, func(*remote.Options) {})
			proxy.Fault(func(r *http.Request) vaultserver.Fault {
				if writes(r) {
					return fault
				}
				return vaultserver.Pass
			})
			_, putErr := e.Put(t.Context(), "4711/secrets", vault.Data(`{"pin":"1"}`), 0)
			connected(t, e)
			_, signErr := vaulttest.Sign(t.Context(), e, vault.SignRequest{CSR: vaulttest.NewCSR(t, vaulttest.RSAKey()), CommonName: "zoe"})
			proxy.Fault(nil)
			connected(t, e)
			for what, err := range map[string]error{"Put": putErr, "Sign": signErr} {
				if !errors.Is(err, vault.ErrUnavailable) || errors.Is(err, vault.ErrDenied) || errors.Is(err, vault.ErrSealed) {
					t.Errorf("%s: %v", what, err)
				}
			}
			if n := proxy.Seen(fault); n != 2 {
				t.Errorf("two calls were sent %d times", n)
			}
			issued := 0
			must.OK(t, e.Issued(t.Context(), func(string) error { issued++; return nil }))
			version, err := e.Get(t.Context(), "4711/secrets")
			if happened := fault == vaultserver.CutAfter; happened != (err == nil && version.Number == 1) || happened != (issued == 1) {
				t.Errorf("version %d, %v; %d certificates", version.Number, err, issued)
			}
		})
	}
}

func connected(t *testing.T, e *remote.Engine) {
	t.Helper()
	await.That(t, "the vault is connected", func() bool { return e.State(t.Context()) == vault.Connected && works(t, e) })
}

// works reports whether calls are let through.
func works(t *testing.T, e *remote.Engine) bool {
	t.Helper()
	_, err := e.Get(t.Context(), "nothing/here")
	return errors.Is(err, vault.ErrNotFound)
}

// TestSlow: a vault that does not answer in time is soon known to be away; then nobody waits for
// it, and it gets no calls but health probes.
func TestSlow(t *testing.T) {
	t.Parallel()
	e, proxy := proxied(t, func(o *remote.Options) { o.Timeout = 250 * time.Millisecond })
	connected(t, e)
	var mu sync.Mutex
	calls := 0
	proxy.Fault(func(r *http.Request) vaultserver.Fault {
		mu.Lock()
		defer mu.Unlock()
		if !strings.HasSuffix(r.URL.Path, "sys/health") {
			calls++
		}
		return vaultserver.Hold
	})
	if _, err := e.Get(t.Context(), "a/b"); !errors.Is(err, vault.ErrUnavailable) { // also if its health was found before
		t.Errorf("%v", err)
	}
	asked := func() int {
		mu.Lock()
		defer mu.Unlock()
		return calls
	}
	await.That(t, "calls are refused without being sent", func() bool {
		before := asked()
		_, err := e.Get(t.Context(), "a/b")
		return errors.Is(err, vault.ErrUnavailable) && asked() == before
	})
	before := asked()
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			if _, err := e.Get(t.Context(), "a/b"); !errors.Is(err, vault.ErrUnavailable) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if now := asked(); now != before {
		t.Errorf("%d calls were sent to a vault that is away", now-before)
	}
	if state := e.State(t.Context()); state != vault.Disconnected {
		t.Errorf("it is %s", state)
	}
	proxy.Fault(nil)
	connected(t, e)
}

func TestSealed(t *testing.T) {
	t.Parallel()
	server := vaultserver.Start(t)
	e := open(t, server.Prepared(t))
	must.Get(e.Put(t.Context(), "4711/secrets", vault.Data(`{"pin":"1"}`), 0))(t)
	server.Seal(t)
	if _, err := e.Put(t.Context(), "4711/secrets", vault.Data(`{"pin":"2"}`), 1); !errors.Is(err, vault.ErrSealed) {
		t.Errorf("%v", err)
	}
	await.That(t, "it is known to be sealed", func() bool { return e.State(t.Context()) == vault.Sealed })
	server.Unseal(t)
	connected(t, e)
	if v := must.Get(e.Get(t.Context(), "4711/secrets"))(t); v.Number != 1 {
		t.Errorf("version %d", v.Number)
	}
	server.Stop()
	if _, err := e.Get(t.Context(), "4711/secrets"); !errors.Is(err, vault.ErrUnavailable) || errors.Is(err, vault.ErrSealed) {
		t.Errorf("gone: %v", err)
	}
	if state := e.State(t.Context()); state != vault.Disconnected {
		t.Errorf("gone, it is %s", state)
	}
}

// TestStandby: a standby node forwards calls to the active one.
func TestStandby(t *testing.T) {
	t.Parallel()
	server := vaultserver.StartCluster(t)
	o := server.Prepared(t)
	o.Address = server.Standby
	e := open(t, o)
	connected(t, e) // as soon as it knows which node is active
	must.Get(e.Put(t.Context(), "4711/secrets", vault.Data(`{"pin":"1"}`), 0))(t)
	if v := must.Get(e.Get(t.Context(), "4711/secrets"))(t); v.Number != 1 || e.State(t.Context()) != vault.Connected {
		t.Errorf("version %d", v.Number)
	}
}

func TestForeignCertificate(t *testing.T) {
	t.Parallel()
	o := vaultserver.Shared(t).Prepared(t)
	o.CACert = must.Get(vaultserver.NewCA())(t)
	e := open(t, o)
	_, err := e.Get(t.Context(), "a/b")
	if !errors.Is(err, vault.ErrUnavailable) || !strings.Contains(err.Error(), "certificate") || e.State(t.Context()) != vault.Disconnected {
		t.Errorf("%v", err)
	}
}

// TestQuota: a call beyond a quota says so, and does not make the vault count as away.
func TestQuota(t *testing.T) {
	t.Parallel()
	server := vaultserver.Shared(t)
	e, o := engine(t)
	connected(t, e)
	quota := "sys/quotas/rate-limit/" + o.Mounts.KV
	server.Call(t, http.MethodPost, quota, map[string]any{"path": o.Mounts.KV + "/", "rate": 1, "interval": "1h"})
	_, first := e.Get(t.Context(), "a/b")
	_, second := e.Get(t.Context(), "a/b")
	if !errors.Is(first, vault.ErrNotFound) || !errors.Is(second, vault.ErrBusy) {
		t.Errorf("%v, then %v", first, second)
	}
	if _, err := e.CRL(t.Context(), vault.Active); err != nil || e.State(t.Context()) != vault.Connected {
		t.Errorf("the rest is refused, too: %v", err)
	}
	server.Call(t, http.MethodDelete, quota, nil)
	if !works(t, e) {
		t.Error("it is refused still")
	}
}
