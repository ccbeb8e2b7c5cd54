package oidc

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc/oidctest"

	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/signon"
)

type m = map[string]any

// Keys are made once: RSA takes a while.
var (
	ownKey     = sync.OnceValue(newRSA)
	nextKey    = sync.OnceValue(newRSA)
	foreignKey = sync.OnceValue(newRSA)
	curveKey   = sync.OnceValue(func() *ecdsa.PrivateKey {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			panic(err)
		}
		return key
	})
)

func newRSA() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
}

// idp is a provider that answers as the test demands.
type idp struct {
	*httptest.Server
	t *testing.T

	mu          sync.Mutex
	keys        []oidctest.PublicKey
	description m             // overrides the right one
	claims      m             // override the right ones; nil values are left out
	token       func() string // instead of the signed claims
	answer      http.HandlerFunc
	userInfo    m
	form        url.Values // of the last token request
	user, pass  string     // its basic authentication
	counts      map[string]int
}

func newIDP(t *testing.T) *idp {
	t.Helper()
	p := &idp{t: t, counts: map[string]int{}}
	p.publish(ownKey())
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", p.discovery)
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.counts["keys"]++
		(&oidctest.Server{PublicKeys: p.keys}).ServeHTTP(w, r)
	})
	mux.HandleFunc("POST /token", p.tokens)
	mux.HandleFunc("GET /userinfo", func(w http.ResponseWriter, _ *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.counts["userinfo"]++
		writeJSON(w, p.userInfo)
	})
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	return p
}

func (p *idp) set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}

func (p *idp) count(what string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.counts[what]
}

func (p *idp) publish(keys ...crypto.Signer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keys = nil
	for _, key := range keys {
		p.keys = append(p.keys, oidctest.PublicKey{PublicKey: key.Public(), KeyID: keyID(key), Algorithm: algorithm(key)})
	}
}

func keyID(key crypto.Signer) string {
	switch key {
	case crypto.Signer(ownKey()):
		return "own"
	case crypto.Signer(nextKey()):
		return "next"
	default:
		return "other"
	}
}

func algorithm(key crypto.Signer) string {
	if _, ok := key.(*ecdsa.PrivateKey); ok {
		return "ES256"
	}
	return "RS256"
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

func over(base, more m) m {
	out := maps.Clone(base)
	for k, v := range more {
		out[k] = v
		if v == nil {
			delete(out, k)
		}
	}
	return out
}

func (p *idp) discovery(w http.ResponseWriter, _ *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.counts["discovery"]++
	writeJSON(w, over(m{
		"issuer": p.URL, "authorization_endpoint": p.URL + "/auth?tenant=1", "token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/keys",
		"userinfo_endpoint": p.URL + "/userinfo", "end_session_endpoint": p.URL + "/end?tenant=1",
		"id_token_signing_alg_values_supported": []string{"RS256", "HS256", "none"},
	}, p.description))
}

func (p *idp) tokens(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.counts["token"]++
	_ = r.ParseForm()
	p.form = r.PostForm
	p.user, p.pass, _ = r.BasicAuth()
	if p.answer != nil {
		p.answer(w, r)
		return
	}
	raw := ""
	if p.token != nil {
		raw = p.token()
	} else {
		raw = oidctest.SignIDToken(ownKey(), "own", "RS256", p.payload())
	}
	writeJSON(w, m{"access_token": "access", "token_type": "Bearer", "id_token": raw})
}

// payload is that of a valid ID token, except for the test's claims.
func (p *idp) payload() string {
	now := time.Now().Unix()
	raw, err := json.Marshal(over(m{
		"iss": p.URL, "sub": "1", "aud": "keyward", "exp": now + 3600, "iat": now, "nonce": "nonce", "auth_time": now - 60,
		"email": "nina@example.org",
	}, p.claims))
	if err != nil {
		p.t.Error(err)
	}
	return string(raw)
}

func (p *idp) client() signon.Client {
	return signon.Client{
		Issuer: p.URL, ID: "keyward", Secret: secret.New("client secret: +&="), Scopes: []string{"openid",
			"email"}, RedirectURL: "https://keyward.example.org/back",
	}
}

var aRound = signon.Round{State: "state", Nonce: "nonce", Verifier: secret.New("verifier-verifier-verifier-verifier-verifier")}

func (p *idp) identify(ctx context.Context, c *Connector, wanted ...string) (signon.Identity, error) {
	return c.Identify(ctx, p.client(), aRound, "code", wanted)
}
