package oidc_test

import (
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestWholeSignOn is a person's first day: sign-in through the provider, an account
// from the claims, sign-out at the provider, and another sign-in.
func TestWholeSignOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, nil)
	w.account("nina", m{"preferred_username": "Nina Müller"})
	if got := w.desk.must(200, "GET", "/api/auth/config", "", nil); got["local_login"] != true ||
		got["oidc"].(m)["enabled"] != true || got["oidc"].(m)["name"] != "Example ID" {
		t.Errorf("config: %v", got)
	}
	b := newBrowser(t, w.site, "nina")
	v := b.round("?return_to=%2Ftokens%3Fq%3D1")
	if v.Get("return_to") != "/tokens?q=1" || v.Get("error") != "" {
		t.Errorf("the page gets %v", v)
	}
	first := b.exchange(v)
	u := first["user"].(m)
	if u["username"] != "Nina-Muller" || u["email"] != "nina@example.org" || u["role"] != "user" ||
		u["organization_id"] != w.orgs["a"] || u["auth_source"] != "oidc" {
		t.Errorf("the account: %v", u)
	}
	if first["refresh_token"] == nil || first["access_token"] == nil {
		t.Errorf("the answer is not that of a login: %v", first)
	}
	token := first["access_token"].(string)
	b.must(200, "GET", "/api/auth/me", token, nil)
	out := b.must(200, "POST", "/api/auth/logout", token, nil)
	b.must(401, "GET", "/api/auth/me", token, nil)
	end, _ := out["logout_url"].(string)
	if !strings.HasPrefix(end, w.issuer+"/") {
		t.Fatalf("logout: %v", out)
	}
	b.until(end, w.site+"/login")
	at := b.until(w.site+"/api/auth/oidc/start", w.issuer+"/interaction/")
	if _, page := b.get(at.String()); !strings.Contains(page, "login-submit") {
		t.Errorf("after signing out at the provider it asks for no login: %s", page)
	}

	// Another machine, months later; the claims from which the account was created have
	// changed.
	w.account("nina", m{"preferred_username": "nina.new", "email": "nina.new@example.org"})
	again := newBrowser(t, w.site, "nina").signIn()
	if again["user"].(m)["id"] != u["id"] || again["user"].(m)["username"] != "Nina-Muller" {
		t.Errorf("the second sign-in is of another account: %v", again["user"])
	}
	if got := w.audited("user.created"); len(got) < 1 || got[0] != "success at the first single sign-on, role user" {
		t.Errorf("user.created: %q", got)
	}
	// A session from a password has no provider.
	if out := w.desk.must(200, "POST", "/api/auth/logout", w.admin, nil); out["logout_url"] != nil {
		t.Errorf("logout of a password's session: %v", out)
	}
	w.nowhere(clientSecret, v.Get("code"), token, first["refresh_token"].(string))
}

// TestBrowserClient gets the refresh token as a cookie, as at a login.
func TestBrowserClient(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, nil)
	w.account("nina", nil)
	b := newBrowser(t, w.site, "nina")
	res, _ := b.get(w.site + "/api/auth/oidc/start")
	if cookie := res.Header.Get("Set-Cookie"); !regexp.MustCompile(`^keyward_oidc=[\w-]{43}; Path=/api/auth; Expires=[^;]+; HttpOnly; SameSite=Lax$`).MatchString(cookie) {
		t.Errorf("the cookie: %s", cookie)
	}
	code := b.round("").Get("code")
	b.must(403, "POST", "/api/auth/oidc/exchange", "", m{"code": code}, "X-Keyward-Client", "web", "Origin", "https://evil.example")
	out := b.must(200, "POST", "/api/auth/oidc/exchange", "", m{"code": code}, "X-Keyward-Client", "web", "Origin", w.site)
	if out["refresh_token"] != nil {
		t.Error("the refresh token stands in the body")
	}
	b.must(200, "POST", "/api/auth/refresh", "", nil, "X-Keyward-Client", "web", "Origin", w.site)
}

// TestReauthentication: a single sign-on session is no recent proof until the person
// proves their identity again at the provider.
func TestReauthentication(t *testing.T) {
	t.Parallel()
	w := newWorld(t, m{"role_claim": "roles", "role_mapping": m{"admins": "global_admin", "staff": "user"}}, nil)
	w.account("root", m{"roles": []string{"admins"}})
	w.account("nina", nil)
	b := newBrowser(t, w.site, "root")
	signedIn := b.signIn()
	token := signedIn["access_token"].(string)
	put := m{"enabled": true, "name": "Another name", "issuer": w.issuer, "client_id": "keyward"}
	w.age(signedIn["session_id"]) // the sign-in itself was a proof, by the provider's auth_time
	if out := b.must(403, "PUT", "/api/admin/settings/oidc", token, put); out["code"] != "reauthentication_required" {
		t.Errorf("without a fresh proof: %v", out)
	}
	// An ordinary round's code proves nothing, and one of the other kind begins no
	// session.
	ordinary := b.round("").Get("code")
	b.must(400, "POST", "/api/auth/reauthenticate", token, m{"code": ordinary})
	v := b.round("?reauthenticate=true&return_to=/admin")
	if v.Get("reauthenticate") != "true" || v.Get("return_to") != "/admin" {
		t.Errorf("the page gets %v", v)
	}
	b.must(401, "POST", "/api/auth/oidc/exchange", "", m{"code": v.Get("code")})
	newBrowser(t, w.site, "root").must(400, "POST", "/api/auth/reauthenticate", token, m{"code": v.Get("code")})
	b.must(200, "POST", "/api/auth/reauthenticate", token, m{"code": v.Get("code")})
	// It counts from the proof, which the provider reports in whole seconds, not from
	// the code's arrival.
	if at := w.authenticated(signedIn["session_id"]); at.Nanosecond() != 0 || time.Since(at) > time.Minute {
		t.Errorf("authenticated at %v", at)
	}
	b.must(400, "POST", "/api/auth/reauthenticate", token, m{"code": v.Get("code")})
	b.must(200, "PUT", "/api/admin/settings/oidc", token, put)

	// Somebody else at the same desk proves nothing for this session.
	w.change(m{"client_secret": clientSecret})
	other := newBrowser(t, w.site, "nina")
	other.signIn()
	theirs := other.round("?reauthenticate=true").Get("code")
	other.must(400, "POST", "/api/auth/reauthenticate", token, m{"code": theirs})
	// And it creates no account.
	w.account("new", nil)
	if v := newBrowser(t, w.site, "new").round("?reauthenticate=true"); v.Get("error") != "oidc_no_account" {
		t.Errorf("a first sign-in to reauthenticate: %v", v)
	}
}
