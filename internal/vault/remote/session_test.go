package remote_test

import (
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/remote"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/vaultserver"
)

// TestTokenEnds: a revoked token is replaced, and nobody notices.
func TestTokenEnds(t *testing.T) {
	t.Parallel()
	e, o := engine(t)
	for range 3 {
		vaultserver.Shared(t).EndTokens(t, o.Mounts.Role)
		if !works(t, e) {
			t.Error("the token is not replaced")
		}
	}
}

// TestRenewal: the token is renewed in time, and replaced at the end of its maximum lifetime.
func TestRenewal(t *testing.T) {
	t.Parallel()
	server := vaultserver.Shared(t)
	o := server.Prepared(t)
	server.Call(t, http.MethodPost, "auth/approle/role/"+o.Mounts.Role, map[string]any{"token_ttl": "2s", "token_max_ttl": "5s"})
	proxy := server.Proxy(t)
	o.Address, o.CACert = proxy.Address, nil
	var mu sync.Mutex
	var logins, renewals int
	proxy.Fault(func(r *http.Request) vaultserver.Fault {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case strings.HasSuffix(r.URL.Path, "/login"):
			logins++
		case strings.HasSuffix(r.URL.Path, "/renew-self"):
			renewals++
		}
		return vaultserver.Pass
	})
	e := open(t, o)
	await.That(t, "it is renewed, and replaced", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return renewals >= 1 && logins >= 2
	})
	if !works(t, e) {
		t.Error("it has no good token")
	}
}

// TestGivenToken: a configured token is used until it expires, then the one that its source has by
// then.
func TestGivenToken(t *testing.T) {
	t.Parallel()
	server := vaultserver.Shared(t)
	o := server.Prepared(t)
	var mu sync.Mutex
	token := server.Token(t, "1h", "", o.Mounts.Role)
	o.Login = remote.Login{}
	o.Token = func() (secret.String, error) {
		mu.Lock()
		defer mu.Unlock()
		return secret.New(token), nil
	}
	e := open(t, o)
	if !works(t, e) {
		t.Fatal("the token is not taken")
	}
	server.Revoke(t, token)
	if _, err := e.Get(t.Context(), "a/b"); !errors.Is(err, vault.ErrDenied) {
		t.Errorf("%v", err)
	}
	if state := e.State(t.Context()); state != vault.Denied {
		t.Errorf("it is %s", state)
	}
	mu.Lock()
	token = server.Token(t, "1h", "", o.Mounts.Role)
	mu.Unlock()
	connected(t, e)
}

// TestLoginRefused: a wrong secret id is reported, and a right one works without a restart.
func TestLoginRefused(t *testing.T) {
	t.Parallel()
	o := vaultserver.Shared(t).Prepared(t)
	right := o.Login.SecretID
	var mu sync.Mutex
	wrong := true
	o.Login.SecretID = func() (secret.String, error) {
		mu.Lock()
		defer mu.Unlock()
		if wrong {
			return secret.New("00000000-0000-0000-0000-000000000000"), nil
		}
		return right()
	}
	e := open(t, o)
	for range 3 {
		if _, err := e.Get(t.Context(), "a/b"); !errors.Is(err, vault.ErrDenied) {
			t.Errorf("%v", err)
		}
	}
	mu.Lock()
	wrong = false
	mu.Unlock()
	connected(t, e)
}

// TestPermission: what the policy lacks is denied, and does not make the vault count as away.
func TestPermission(t *testing.T) {
	t.Parallel()
	server := vaultserver.Shared(t)
	o := server.Prepared(t)
	server.Call(t, http.MethodPost, "sys/policies/acl/"+o.Mounts.Role, map[string]string{
		"policy": strings.ReplaceAll(remote.Policy(o.Mounts), `"create", "read", "update"`, `"read"`),
	})
	e := open(t, o)
	if _, err := e.Put(t.Context(), "a/b", vault.Data(`{}`), 0); !errors.Is(err, vault.ErrDenied) {
		t.Errorf("%v", err)
	}
	if !works(t, e) || e.State(t.Context()) != vault.Connected {
		t.Error("the rest is denied, too")
	}
}

// TestUnprepared: a missing mount does not count as an empty one.
func TestUnprepared(t *testing.T) {
	t.Parallel()
	server := vaultserver.Shared(t)
	e := open(t, server.Operator())
	for what, do := range map[string]func() error{
		"Get":  func() error { _, err := e.Get(t.Context(), "a/b"); return err },
		"List": func() error { _, err := e.List(t.Context(), ""); return err },
		"CAs":  func() error { _, err := e.CAs(t.Context()); return err },
		"CRL":  func() error { _, err := e.CRL(t.Context(), vault.Active); return err },
	} {
		if err := do(); !errors.Is(err, vault.ErrDenied) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
