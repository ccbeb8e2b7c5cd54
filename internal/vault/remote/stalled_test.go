package remote_test

import (
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/remote"
	"github.com/keyward/keyward/internal/vault/vaulttest"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/vaultserver"
)

// holding holds calls whose path ends so, and signals the first.
func holding(proxy *vaultserver.Proxy, ends ...string) (held chan struct{}) {
	held = make(chan struct{}, 1)
	proxy.Fault(func(r *http.Request) vaultserver.Fault {
		for _, end := range ends {
			if strings.HasSuffix(r.URL.Path, end) {
				select {
				case held <- struct{}{}:
				default:
				}
				return vaultserver.Hold
			}
		}
		return vaultserver.Pass
	})
	return held
}

// TestRenewalStalls: a renewal that is never answered keeps nobody from a new token.
func TestRenewalStalls(t *testing.T) {
	t.Parallel()
	server := vaultserver.Shared(t)
	e, proxy := proxied(t, func(o *remote.Options) {
		o.Timeout = time.Second
		server.Call(t, http.MethodPost, "auth/approle/role/"+o.Mounts.Role, map[string]any{"token_ttl": "2s", "token_max_ttl": "1h"})
	})
	connected(t, e)
	held := make(chan struct{})
	var hold sync.Once
	var logins atomic.Int64
	proxy.Fault(func(r *http.Request) vaultserver.Fault {
		switch {
		case strings.HasSuffix(r.URL.Path, "/login"):
			logins.Add(1)
		case strings.HasSuffix(r.URL.Path, "/renew-self"):
			hold.Do(func() { close(held) })
			return vaultserver.Hold
		}
		return vaultserver.Pass
	})
	await.From(t, "it is renewed", held)
	await.That(t, "it logs in anew", func() bool { return works(t, e) && logins.Load() > 0 })
}

// TestSilentAtStart: a server that accepts connections and says nothing does not hold up a start.
func TestSilentAtStart(t *testing.T) {
	t.Parallel()
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { must.OK(t, listener.Close()) })
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(io.Discard, c) }()
		}
	}()
	e := open(t, remote.Options{
		Address: "http://" + listener.Addr().String(), Token: secret.Fixed("token"), PublicBase: vaultserver.PublicBase,
		Timeout: 50 * time.Millisecond, Logger: slog.New(slog.DiscardHandler),
	})
	if state := e.State(t.Context()); state != vault.Disconnected {
		t.Errorf("it is %s", state)
	}
}

// TestPatience: the CRL may take the vault longer than other calls.
func TestPatience(t *testing.T) {
	t.Parallel()
	e, proxy := proxied(t, func(o *remote.Options) { o.Timeout = 15 * time.Second; o.SetPatience(time.Hour) })
	connected(t, e)
	issued := must.Get(vaulttest.Sign(t.Context(), e, vault.SignRequest{CSR: vaulttest.NewCSR(t, vaulttest.RSAKey()), CommonName: "zoe"}))(t)
	held := holding(proxy, "/crl/rotate", "/nothing")
	done := make(chan error, 1)
	go func() {
		done <- e.Revoke(t.Context(), vault.Revocation{Serial: issued.Serial, At: time.Now(), Reason: vault.Superseded})
	}()
	await.From(t, "the CRL is being built", held)
	if _, err := e.Get(t.Context(), "nothing"); !errors.Is(err, vault.ErrSlow) { // asked later, it is given up before
		t.Errorf("%v", err)
	}
	proxy.Fault(nil)
	must.OK(t, await.From(t, "the answer", done))
}

// TestRevocationRefused: one that the vault refuses keeps no other off the CRL.
func TestRevocationRefused(t *testing.T) {
	t.Parallel()
	e, _ := engine(t)
	strange := vault.Revocation{Serial: "4711", At: time.Now(), Reason: vault.Superseded} // the vault doesn't know it
	all := []vault.Revocation{strange}
	for range 20 {
		issued := must.Get(vaulttest.Sign(t.Context(), e, vault.SignRequest{CSR: vaulttest.NewCSR(t, vaulttest.RSAKey()), CommonName: "zoe"}))(t)
		all = append(all, vault.Revocation{Serial: issued.Serial, At: time.Now(), Reason: vault.Superseded})
	}
	some, ok := errors.AsType[*vault.Unrevoked](e.Revoke(t.Context(), all...))
	if !ok || len(some.Failed) != 1 || some.Failed[strange.Serial] == nil {
		t.Errorf("refused: %+v", some)
	}
	listed := 0
	must.OK(t, e.Revoked(t.Context(), func(vault.Revocation) error { listed++; return nil }))
	if listed != 20 {
		t.Errorf("%d are on the CRL", listed)
	}
}
