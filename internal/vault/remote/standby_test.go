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

// TestNoActiveNode: a vault without an active node is away, although each node says that it is
// well, and is used again once one is active.
func TestNoActiveNode(t *testing.T) {
	t.Parallel()
	server := vaultserver.StartFirst(t)
	e := open(t, server.Prepared(t))
	must.Get(e.Put(t.Context(), "4711/secrets", vault.Data(`{"pin":"1"}`), 0))(t)
	var err error
	await.That(t, "it is known that no node is active", func() bool {
		server.StepDown(t) // again, if it became active unseen
		state := e.State(t.Context())
		_, err = e.Get(t.Context(), "4711/secrets")
		return state == vault.Disconnected && err != nil
	})
	if !errors.Is(err, vault.ErrStandby) {
		t.Errorf("%v", err)
	}
	server.UnsealSecond(t)
	connected(t, e)
	if v := must.Get(e.Get(t.Context(), "4711/secrets"))(t); v.Number != 1 {
		t.Errorf("version %d", v.Number)
	}
}

// TestNamespace: every call names the namespace, except those that only the whole vault answers.
func TestNamespace(t *testing.T) {
	t.Parallel()
	var role string
	e, proxy := proxied(t, func(o *remote.Options) { role, o.Namespace = o.Mounts.Role, "/team/a/" })
	var mu sync.Mutex
	seen := map[string]bool{}
	proxy.Fault(func(r *http.Request) vaultserver.Fault {
		mu.Lock()
		defer mu.Unlock()
		path := strings.TrimPrefix(r.URL.Path, "/v1/")
		want := "team/a"
		if strings.HasPrefix(path, "sys/") {
			want = ""
		}
		if got := r.Header.Get("X-Vault-Namespace"); got != want {
			t.Errorf("%s %s: the namespace is %q", r.Method, path, got)
		}
		r.Header.Del("X-Vault-Namespace") // the vault of the tests has none
		seen[r.Method+" "+path] = true
		return vaultserver.Pass
	})
	vaultserver.Shared(t).EndTokens(t, role) // it logs in again
	connected(t, e)
	must.Get(e.Put(t.Context(), "4711/secrets", vault.Data(`{"pin":"1"}`), 0))(t)
	must.Get(e.List(t.Context(), ""))(t)
	issued := must.Get(vaulttest.Sign(t.Context(), e, vault.SignRequest{CSR: vaulttest.NewCSR(t, vaulttest.RSAKey()), CommonName: "zoe"}))(t)
	must.OK(t, e.Revoke(t.Context(), vault.Revocation{Serial: issued.Serial, At: time.Now(), Reason: vault.Superseded}))
	must.Get(e.CRL(t.Context(), vault.Active))(t)
	must.OK(t, e.Issued(t.Context(), func(string) error { return nil }))
	must.Get(e.Certificate(t.Context(), issued.Serial))(t)
	mu.Lock()
	defer mu.Unlock()
	if len(seen) < 10 || !seen["GET sys/health"] || !seen["POST auth/approle/login"] {
		t.Errorf("only these were sent: %v", seen)
	}
}
