package oidc

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/signon"
	"github.com/keyward/keyward/test/must"
)

func TestAuthorizationURL(t *testing.T) {
	t.Parallel()
	p := newIDP(t)
	r := aRound
	for _, c := range []struct {
		again  bool
		claims any // what the description says about the parameter
		asked  bool
	}{{false, true, true}, {false, false, false}, {true, nil, true}, {true, true, true}, {true,
		"true", true}, {true, false, false}, {true, "false", false}} {
		p.set(func() { p.description = m{"claims_parameter_supported": c.claims} })
		r.Reauthenticate = c.again
		address := must.Get(New(nil).AuthorizationURL(t.Context(), p.client(), r))(t)
		u := must.Get(url.Parse(address))(t)
		challenge := sha256.Sum256([]byte(r.Verifier.Reveal()))
		want := url.Values{
			"tenant": {"1"}, "client_id": {"keyward"}, "response_type": {"code"}, "scope": {"openid email"}, "state": {"state"}, "nonce": {"nonce"},
			"redirect_uri": {"https://keyward.example.org/back"}, "code_challenge_method": {"S256"},
			"code_challenge": {base64.RawURLEncoding.EncodeToString(challenge[:])},
		}
		if c.again {
			want["prompt"], want["max_age"] = []string{"login"}, []string{"0"}
		}
		if c.asked {
			want["claims"] = []string{`{"id_token":{"auth_time":{"essential":true}}}`}
		}
		if d := cmp.Diff(want, u.Query()); d != "" {
			t.Errorf("%+v: query (-want +got):\n%s", c, d)
		}
	}
}

func TestTokenRequest(t *testing.T) {
	t.Parallel()
	p := newIDP(t)
	ask := func(change func(*signon.Client), description m) (url.Values, string) {
		t.Helper()
		p.set(func() { p.description = description })
		client := p.client()
		change(&client)
		must.Get(New(nil).Identify(t.Context(), client, aRound, "the code", nil))(t)
		return p.form, p.user + ":" + p.pass
	}
	form, basic := ask(func(*signon.Client) {}, nil)
	want := url.Values{
		"grant_type": {"authorization_code"}, "code": {"the code"}, "code_verifier": {aRound.Verifier.Reveal()},
		"redirect_uri": {"https://keyward.example.org/back"},
	}
	if d := cmp.Diff(want, form); d != "" {
		t.Errorf("form (-want +got):\n%s", d)
	}
	if basic != "keyward:"+url.QueryEscape("client secret: +&=") { // RFC 6749, section 2.3.1
		t.Errorf("authentication %s", basic)
	}
	form, basic = ask(func(*signon.Client) {}, m{"token_endpoint_auth_methods_supported": []string{"client_secret_post"}})
	if form.Get("client_id") != "keyward" || form.Get("client_secret") != "client secret: +&=" || basic != ":" {
		t.Errorf("by form: %v %s", form, basic)
	}
	form, basic = ask(func(c *signon.Client) { c.Secret = secret.String{} }, nil)
	if form.Get("client_id") != "keyward" || form.Has("client_secret") || basic != ":" {
		t.Errorf("a public client: %v %s", form, basic)
	}
}

// TestTokenAnswers: answers without a usable token.
func TestTokenAnswers(t *testing.T) {
	t.Parallel()
	stolen := make(chan string, 9)
	evil := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		stolen <- r.PostForm.Get("code")
	}))
	t.Cleanup(evil.Close)
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
	}
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		want   error
	}{
		"refused": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(`{"error":"invalid_grant","error_description":"` + strings.Repeat("x", 5000) + `"}`))
		}, signon.ErrRejected},
		"broken":            {status(http.StatusInternalServerError), signon.ErrUnavailable},
		"too many requests": {status(http.StatusTooManyRequests), signon.ErrUnavailable},
		"too slow":          {status(http.StatusRequestTimeout), signon.ErrUnavailable},
		"no ID token": {func(w http.ResponseWriter, _ *http.Request) {
			writeJSON(w, m{"access_token": "x", "token_type": "Bearer"})
		}, signon.ErrRejected},
		"an odd ID token": {func(w http.ResponseWriter,
			_ *http.Request) {
			writeJSON(w, m{"access_token": "x", "id_token": 7})
		}, signon.ErrRejected},
		"no JSON":            {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }, signon.ErrUnavailable},
		"endless":            {func(w http.ResponseWriter, _ *http.Request) { flood(w) }, signon.ErrUnavailable},
		"a redirect":         {http.RedirectHandler(evil.URL, http.StatusTemporaryRedirect).ServeHTTP, signon.ErrRejected},
		"a redirect at home": {http.RedirectHandler("/token", http.StatusPermanentRedirect).ServeHTTP, signon.ErrRejected},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newIDP(t)
			p.answer = c.answer
			_, err := p.identify(t.Context(), New(nil))
			if !errors.Is(err, c.want) {
				t.Errorf("%v, want %v", err, c.want)
			}
			if err != nil && (len(err.Error()) > 2*maxError || strings.Contains(err.Error(), "client secret")) {
				t.Errorf("the error says too much: %v", err)
			}
		})
	}
	t.Cleanup(func() {
		select {
		case code := <-stolen:
			t.Errorf("the code went to another host: %q", code)
		default:
		}
	})
}

func flood(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(`{"access_token":"`))
	for range 64 {
		if _, err := w.Write([]byte(strings.Repeat("x", 64<<10))); err != nil {
			return
		}
	}
}

// TestUserInfo: it fills in what the ID token lacks, and never replaces what
// the token says.
func TestUserInfo(t *testing.T) {
	t.Parallel()
	p := newIDP(t)
	p.userInfo = m{"sub": "1", "email": "other@example.org", "groups": []string{"a", "b"}, "realm_access": m{"roles": []string{"x"}},
		"n": 12345678901234567}
	id, err := p.identify(t.Context(), New(nil), "email")
	if err != nil || id.Claims["groups"] != nil || p.count("userinfo") != 0 {
		t.Errorf("asked though nothing is missing: %v %v", id.Claims, err)
	}
	id, err = p.identify(t.Context(), New(nil), "email", "groups", "realm_access.roles")
	if err != nil || id.Claims["email"] != "nina@example.org" ||
		fmt.Sprint(id.Claims["groups"], id.Claims["realm_access"], id.Claims["n"]) != "[a b] map[roles:[x]]12345678901234567" {
		t.Errorf("claims %v %v", id.Claims, err)
	}
	p.set(func() { p.userInfo = m{"sub": "2", "groups": []string{"admins"}} })
	if _, err := p.identify(t.Context(), New(nil), "groups"); !errors.Is(err, signon.ErrRejected) {
		t.Errorf("another's user info: %v", err)
	}
	p.set(func() { p.userInfo, p.description = nil, m{"userinfo_endpoint": p.URL + "/nowhere"} })
	if _, err := p.identify(t.Context(), New(nil), "groups"); !errors.Is(err, signon.ErrRejected) {
		t.Errorf("no user info: %v", err)
	}
	p.set(func() { p.description = m{"userinfo_endpoint": nil} })
	if _, err := p.identify(t.Context(), New(nil), "groups"); err != nil {
		t.Errorf("a provider without user info: %v", err)
	}
}

// TestUserInfoRefused: the error names the claims that were wanted.
func TestUserInfoRefused(t *testing.T) {
	t.Parallel()
	for status, kind := range map[int]error{
		http.StatusUnauthorized: signon.ErrRejected, http.StatusForbidden: signon.ErrRejected, http.StatusBadGateway: signon.ErrUnavailable,
		http.StatusTooManyRequests: signon.ErrUnavailable, http.StatusRequestTimeout: signon.ErrUnavailable,
	} {
		p := newIDP(t)
		refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "<h1>its own words</h1>", status)
		}))
		t.Cleanup(refusing.Close)
		p.description = m{"userinfo_endpoint": refusing.URL}
		_, err := p.identify(t.Context(), New(nil), "email", "email_verified", "realm_access.roles")
		want := "the ID token has no email_verified, realm_access.roles, and asking for the user info failed: "
		if !errors.Is(err, kind) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), strconv.Itoa(status)) ||
			strings.Contains(err.Error(), "words") {
			t.Errorf("%d: %v", status, err)
		}
	}
}

// TestEmailVerified: email_verified counts only for the email beside it.
func TestEmailVerified(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		token, info     m
		email, verified any
	}{
		"the token's email, the user info's other one": {m{}, m{"email": "other@example.org", "email_verified": true}, "nina@example.org", nil},
		"the user info names no email":                 {m{}, m{"email_verified": false}, "nina@example.org", false},
		"the same email, unverified":                   {m{}, m{"email": "nina@example.org", "email_verified": false}, "nina@example.org", false},
		"the same email, verified":                     {m{}, m{"email": "nina@example.org", "email_verified": true}, "nina@example.org", true},
		"the token has no email": {m{"email": nil, "email_verified": true}, m{"email": "other@example.org",
			"email_verified": false}, "other@example.org", false},
		"the token has no email, and verifies it": {m{"email": nil,
			"email_verified": true}, m{"email": "other@example.org"}, "other@example.org", nil},
		"the token tells both": {m{"email_verified": false}, m{"email": "other@example.org",
			"email_verified": true}, "nina@example.org", false},
		"nobody tells": {m{"email": nil}, m{}, nil, nil},
	} {
		p := newIDP(t)
		p.claims, p.userInfo = c.token, over(m{"sub": "1"}, c.info)
		id, err := p.identify(t.Context(), New(nil), "email", "email_verified", "name")
		if err != nil || id.Claims["email"] != c.email || id.Claims["email_verified"] != c.verified {
			t.Errorf("%s: %v %v %v, want %v %v", name, id.Claims["email"], id.Claims["email_verified"], err, c.email, c.verified)
		}
	}
}

func TestEndSessionURL(t *testing.T) {
	t.Parallel()
	p := newIDP(t)
	got, err := New(nil).EndSessionURL(t.Context(), p.client(), "https://keyward.example.org/login")
	if want := p.URL + "/end?client_id=keyward&post_logout_redirect_uri=https%3A%2F%2Fkeyward.example.org%2Flogin&tenant=1"; err != nil ||
		got != want {
		t.Errorf("%s %v, want %s", got, err, want)
	}
	p.set(func() { p.description = m{"end_session_endpoint": nil} })
	if got, err := New(nil).EndSessionURL(t.Context(), p.client(), "x"); got != "" || err != nil {
		t.Errorf("a provider without one: %q %v", got, err)
	}
}

// TestPatience: Keyward gives up on a provider that does not answer.
func TestPatience(t *testing.T) {
	t.Parallel()
	p := newIDP(t)
	hang := make(chan struct{})
	t.Cleanup(func() { close(hang) })
	c := New(nil)
	must.OK(t, c.Discover(t.Context(), p.URL))
	p.answer = func(http.ResponseWriter, *http.Request) { <-hang }
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := p.identify(ctx, c); !errors.Is(err, signon.ErrUnavailable) {
		t.Errorf("%v, want ErrUnavailable", err)
	}
}
