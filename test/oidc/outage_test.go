package oidc_test

import (
	"strings"
	"testing"

	"github.com/keyward/keyward/test/await"
)

// health returns the health report on single sign-on.
func (w *world) health() m {
	w.t.Helper()
	for _, c := range w.desk.must(200, "GET", "/api/admin/system/health", w.admin, nil)["components"].([]any) {
		if c := c.(m); c["name"] == "single_sign_on" {
			return c
		}
	}
	w.t.Fatal("the health report says nothing of single sign-on")
	return nil
}

// TestUnknownScope: an administrator's mistake, which the provider explains in the log.
func TestUnknownScope(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, m{"scope": "openid email"})
	w.account("nina", nil)
	if v := newBrowser(t, w.site, "nina").round(""); v.Get("error") != "oidc_rejected" {
		t.Errorf("the page gets %v", v)
	}
	if log := w.logs.String(); !strings.Contains(log, "the provider answered invalid_scope: ") {
		t.Errorf("the log:\n%s", log)
	}
}

// TestKeyRotation: the provider suddenly signs with a new key, even between the two
// halves of a round.
func TestKeyRotation(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, nil)
	w.account("nina", nil)
	newBrowser(t, w.site, "nina").signIn() // the first key is known now
	b := newBrowser(t, w.site, "nina")
	callback := b.held("").String()
	w.rotate()
	b.exchange(b.back(callback))
	w.rotate()
	newBrowser(t, w.site, "nina").signIn()
}

// TestProviderStopped: sign-in then fails with a clear message; everything else
// continues.
func TestProviderStopped(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, nil)
	w.account("nina", nil)
	b := newBrowser(t, w.site, "nina")
	token := b.signIn()["access_token"].(string)
	callback := b.held("").String()
	if got := w.health(); got["status"] != "ok" {
		t.Errorf("health: %v", got)
	}
	w.stop()
	if got := w.health(); got["status"] != "failed" || !strings.Contains(got["detail"].(string), "connection refused") {
		t.Errorf("health while the provider is down: %v", got)
	}
	if v := b.back(callback); v.Get("error") != "oidc_unavailable" {
		t.Errorf("the second half of a round: %v", v)
	}
	b.must(200, "GET", "/api/auth/me", token, nil)
	w.desk.must(200, "GET", "/api/auth/config", "", nil)
	w.desk.must(200, "GET", "/api/health", "", nil)
	w.desk.must(200, "POST", "/api/auth/login", "", m{"username": "admin", "password": adminPassword})

	// Settings that cannot be tested are refused; turning it off always works.
	w.set["name"] = "New name"
	out := w.desk.must(400, "PUT", "/api/admin/settings/oidc", w.admin, w.set)
	if list := out["errors"].([]any); len(list) != 1 || list[0].(m)["field"] != "issuer" {
		t.Errorf("errors: %v", out)
	}
	if got := w.desk.must(200, "GET", "/api/admin/settings/oidc", w.admin, nil); got["name"] != "Example ID" ||
		got["client_secret_set"] != true {
		t.Errorf("a refused change is stored: %v", got)
	}
	w.change(m{"enabled": false})
	if got := w.health(); got["status"] != "not_configured" {
		t.Errorf("health without single sign-on: %v", got)
	}
	w.change(m{"enabled": false, "issuer": "http://127.0.0.1:1"})
	w.restart()
	w.account("nina", nil)
	w.change(m{"enabled": true, "issuer": w.issuer})
	newBrowser(t, w.site, "nina").signIn()
	b.must(200, "POST", "/api/auth/logout", token, nil)
}

// TestServerRestarted: a server that does not know the provider yet finds it stopped.
func TestServerRestarted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, nil)
	w.account("nina", nil)
	token := newBrowser(t, w.site, "nina").signIn()["access_token"].(string)
	w.halt()
	w.stop()
	w.serve(t)
	await.That(t, "a line of the log at start", func() bool {
		return strings.Contains(w.logs.String(), "until the provider can be reached, nobody can sign in through it")
	})
	b := newBrowser(t, w.site, "nina")
	if v := b.round(""); v.Get("error") != "oidc_unavailable" {
		t.Errorf("a start while the provider is down: %v", v)
	}
	// Signing out works here, without a redirect.
	if out := b.must(200, "POST", "/api/auth/logout", token, nil); out["logout_url"] != nil {
		t.Errorf("logout: %v", out)
	}
}

// TestWrongSecret: an administrator's mistake, which the log explains.
func TestWrongSecret(t *testing.T) {
	t.Parallel()
	const wrong = "another secret: +/%&="
	w := newWorld(t, m{"client_secret": wrong}, nil)
	w.account("nina", nil)
	b := newBrowser(t, w.site, "nina")
	if v := b.round(""); v.Get("error") != "oidc_rejected" {
		t.Errorf("with a wrong secret: %v", v)
	}
	w.change(m{"client_secret": clientSecret})
	b.signIn()
	w.nowhere(wrong, clientSecret)
}
