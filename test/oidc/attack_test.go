package oidc_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// text formats an id for a path.
func text(id any) string { return fmt.Sprint(id) }

// TestReplayedState: a round comes back only once.
func TestReplayedState(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, nil)
	w.account("nina", nil)
	b := newBrowser(t, w.site, "nina")
	callback := b.held("").String()
	b.exchange(b.back(callback))
	if v := b.back(callback); v.Get("error") != "oidc_state_invalid" || v.Has("code") {
		t.Errorf("the same answer again: %v", v)
	}
	// Another round's code with this state, and vice versa.
	one, two := b.held(""), b.held("")
	mixed := *one
	q := one.Query()
	q.Set("code", two.Query().Get("code"))
	mixed.RawQuery = q.Encode()
	if v := b.back(mixed.String()); v.Get("error") != "oidc_rejected" {
		t.Errorf("another round's code (PKCE, nonce): %v", v)
	}
	b.exchange(b.back(two.String())) // the attempt did not use it up
}

// TestForeignState: a response is only for the browser that asked. Otherwise an
// attacker could sign a victim in as the attacker, or vice versa.
func TestForeignState(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, nil)
	w.account("eve", nil)
	w.account("nina", nil)
	eve := newBrowser(t, w.site, "eve")
	callback := eve.held("").String()
	for name, victim := range map[string]*browser{"without a cookie": newBrowser(t, w.site, "nina"),
		"in a round of the own": newBrowser(t, w.site, "nina")} {
		if strings.HasSuffix(name, "own") {
			victim.held("")
		}
		if v := victim.back(callback); v.Get("error") != "oidc_state_invalid" || v.Has("code") {
			t.Errorf("%s: %v", name, v)
		}
	}
	v := eve.back(callback) // the attempts used nothing up
	for name, victim := range map[string]*browser{"without a cookie": newBrowser(t, w.site, "nina"),
		"in a round of the own": newBrowser(t, w.site, "nina")} {
		want := "token_missing"
		if strings.HasSuffix(name, "own") {
			victim.held("")
			want = "token_invalid"
		}
		if out := victim.must(401, "POST", "/api/auth/oidc/exchange", "", m{"code": v.Get("code")}); out["code"] != want {
			t.Errorf("the one-time code elsewhere, %s: %v, want %s", name, out["code"], want)
		}
	}
	eve.exchange(v)
}

// TestCodeTwice: a second use of a one-time code ends the session from its first use.
func TestCodeTwice(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, nil)
	w.account("nina", nil)
	b := newBrowser(t, w.site, "nina")
	other := b.signIn()["access_token"].(string)
	v := b.round("")
	first := b.exchange(v)
	token := first["access_token"].(string)
	b.must(200, "GET", "/api/auth/me", token, nil)
	if out := b.must(401, "POST", "/api/auth/oidc/exchange", "", m{"code": v.Get("code")}); out["code"] != "token_invalid" {
		t.Errorf("the second use: %v", out)
	}
	b.must(401, "GET", "/api/auth/me", token, nil)
	b.must(401, "POST", "/api/auth/refresh", "", m{"refresh_token": first["refresh_token"]})
	b.must(200, "GET", "/api/auth/me", other, nil) // another session of the person continues
	if got := w.audited("auth.login"); len(got) < 2 || got[0] != "failure method oidc: one-time code used again" ||
		got[1] != "success method oidc" {
		t.Errorf("auth.login: %q", got)
	}
	if got := w.audited("session.ended"); len(got) != 1 || got[0] != "success method oidc: one-time code used again" {
		t.Errorf("session.ended: %q", got)
	}
	for _, code := range []string{"x", strings.Repeat("A", 43), v.Get("code") + "A"} {
		b.must(401, "POST", "/api/auth/oidc/exchange", "", m{"code": code})
	}
}

// TestCodeAtOnce: of many concurrent uses one succeeds, and afterwards nobody is signed
// in.
func TestCodeAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, nil)
	w.account("nina", nil)
	b := newBrowser(t, w.site, "nina")
	v := b.round("")
	type answer struct {
		status int
		out    m
	}
	answers := make(chan answer, 8)
	for range cap(answers) {
		go func() {
			status, out := b.call("POST", "/api/auth/oidc/exchange", "", m{"code": v.Get("code")})
			answers <- answer{status, out}
		}()
	}
	won := 0
	var token string
	for range cap(answers) {
		if a := <-answers; a.status == 200 {
			won++
			token, _ = a.out["access_token"].(string)
		} else if a.status != 401 {
			t.Errorf("%d %v", a.status, a.out)
		}
	}
	if won > 1 {
		t.Errorf("%d sessions from one code", won)
	}
	if won == 1 {
		b.must(401, "GET", "/api/auth/me", token, nil)
	}
}

// TestOpenRedirect: the redirect back never leaves the site.
func TestOpenRedirect(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, nil)
	w.account("nina", nil)
	b := newBrowser(t, w.site, "nina")
	for _, to := range []string{
		"//evil.example", "///evil.example", `/\evil.example`, `\\evil.example`, "https://evil.example", "https:evil.example",
		"/%2f/evil.example", "/%5cevil.example", "/\t/evil.example", "/\n/evil.example", "javascript:alert(1)",
		"/.//evil.example", "/a/..//evil.example",
		"/x/../..//evil.example", " //evil.example", "evil.example", "/\x00", "/%00", "/%2e%2e//evil.example",
		"?x", "#x", strings.Repeat("/a", 4000),
	} {
		v := b.round("?return_to=" + url.QueryEscape(to))
		if v.Has("return_to") || !v.Has("code") {
			t.Errorf("return_to %q: the page gets %v", to, v)
		}
	}
	for _, to := range []string{"/", "/tokens", "/tokens/", "/tokens/12?tab=audit&q=a%20b", "/a#b"} {
		if v := b.round("?return_to=" + url.QueryEscape(to)); v.Get("return_to") != to {
			t.Errorf("return_to %q: the page gets %v", to, v)
		}
	}
}

// TestAnswers that no provider gives, and some that it does.
func TestAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, nil)
	w.account("nina", nil)
	b := newBrowser(t, w.site, "nina")
	state := func() string { return b.held("").Query().Get("state") }
	callback := w.site + "/api/auth/oidc/callback?"
	for _, c := range []struct{ query, want string }{
		{"", "oidc_state_invalid"},
		{"state=&code=x", "oidc_state_invalid"},
		{"state=" + strings.Repeat("A", 43) + "&code=x", "oidc_state_invalid"},
		{"error=access_denied&state=" + state(), "oidc_cancelled"},
		{"error=server_error&error_description=<script>&state=" + state(), "oidc_rejected"},
		{"state=" + state(), "oidc_rejected"},
		{"code=x&state=" + state(), "oidc_rejected"},
		{"code=x&iss=https://evil.example&state=" + state(), "oidc_rejected"},
	} {
		if v := b.back(callback + c.query); v.Get("error") != c.want || v.Has("code") {
			t.Errorf("%s: %v, want %s", c.query, v, c.want)
		}
	}
	// The person declines at the provider.
	fresh := newBrowser(t, w.site, "nina")
	at := fresh.until(w.site+"/api/auth/oidc/start", w.issuer+"/interaction/")
	if v := fresh.back(at.String() + "/abort"); v.Get("error") != "oidc_cancelled" {
		t.Errorf("aborted: %v", v)
	}
}

// TestSettingsChangeInTheMiddle: a round belongs to the provider with which it began.
func TestSettingsChangeInTheMiddle(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, nil)
	w.account("nina", nil)
	other := newProvider(t, w.site, nil)
	b := newBrowser(t, w.site, "nina")
	callback := b.held("").String()
	w.change(m{"issuer": other.issuer})
	if v := b.back(callback); v.Get("error") != "oidc_state_invalid" {
		t.Errorf("the answer of the provider before: %v", v)
	}
	// The same subject at another provider is another person.
	other.account("nina", m{"email": "other.nina@example.org"})
	if u := newBrowser(t, w.site, "nina").signIn()["user"].(m); u["username"] != "nina" {
		t.Errorf("the account: %v", u)
	}
	w.change(m{"issuer": w.issuer})
	if u := newBrowser(t, w.site, "nina").signIn()["user"].(m); u["username"] != "nina-2" {
		t.Errorf("the other provider's account: %v", u)
	}
}
