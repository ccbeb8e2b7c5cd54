package oidc

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc/oidctest"

	"github.com/keyward/keyward/internal/signon"
)

// TestClaims: every claim that the standard requires to be checked.
func TestClaims(t *testing.T) {
	t.Parallel()
	now := time.Now().Unix()
	for name, c := range map[string]struct {
		claims m
		good   bool
	}{
		"as they should be":                {nil, true},
		"another's nonce":                  {m{"nonce": "other"}, false},
		"no nonce":                         {m{"nonce": nil}, false},
		"an empty nonce":                   {m{"nonce": ""}, false},
		"another audience":                 {m{"aud": "other"}, false},
		"no audience":                      {m{"aud": nil}, false},
		"several audiences, nobody named":  {m{"aud": []string{"keyward", "other"}}, false},
		"several audiences, us named":      {m{"aud": []string{"keyward", "other"}, "azp": "keyward"}, true},
		"several audiences, another named": {m{"aud": []string{"keyward", "other"}, "azp": "other"}, false},
		"another authorized party":         {m{"azp": "other"}, false},
		"an authorized party that is odd":  {m{"azp": 1}, false},
		"another issuer":                   {m{"iss": "https://evil.example"}, false},
		"the issuer with a slash":          {m{"iss": "/"}, false},
		"no issuer":                        {m{"iss": nil}, false},
		"expired":                          {m{"exp": now - 1}, false},
		"no expiry":                        {m{"exp": nil}, false},
		"not valid yet":                    {m{"nbf": now + 3600}, false},
		"issued in the future":             {m{"iat": now + 3600}, false},
		"no subject":                       {m{"sub": nil}, false},
		"an empty subject":                 {m{"sub": ""}, false},
		"a subject with a zero byte":       {m{"sub": "a\x00b"}, false},
		"a subject of 2000 bytes":          {m{"sub": strings.Repeat("a", 2000)}, false},
		"another access token's hash":      {m{"at_hash": "AAAAAAAAAAAAAAAAAAAAAA"}, false},
		"this access token's hash":         {m{"at_hash": atHash("access")}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newIDP(t)
			p.claims = c.claims
			id, err := p.identify(t.Context(), New(nil))
			if c.good {
				if err != nil || id.Subject != "1" || id.Issuer != p.URL {
					t.Errorf("refused: %+v %v", id, err)
				}
				return
			}
			if !errors.Is(err, signon.ErrRejected) {
				t.Errorf("%+v %v, want ErrRejected", id, err)
			}
		})
	}
}

func atHash(accessToken string) string {
	sum := sha256.Sum256([]byte(accessToken))
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// TestSignatures: only the provider's own, by an announced algorithm.
func TestSignatures(t *testing.T) {
	t.Parallel()
	encode := base64.RawURLEncoding.EncodeToString
	for name, c := range map[string]struct {
		token func(p *idp) string
		good  bool
	}{
		"the provider's": {func(p *idp) string { return oidctest.SignIDToken(ownKey(), "own", "RS256", p.payload()) }, true},
		"foreign, under the provider's key id": {func(p *idp) string {
			return oidctest.SignIDToken(foreignKey(), "own", "RS256", p.payload())
		}, false},
		"foreign, under a key id of its own": {func(p *idp) string {
			return oidctest.SignIDToken(foreignKey(), "mine", "RS256", p.payload())
		}, false},
		"an algorithm that is not announced": {func(p *idp) string {
			return oidctest.SignIDToken(ownKey(), "own", "PS256", p.payload())
		}, false},
		"none": {func(p *idp) string {
			return encode([]byte(`{"alg":"none"}`)) + "." + encode([]byte(p.payload())) + "."
		}, false},
		"HS256 with the public key": {func(p *idp) string {
			der, err := x509.MarshalPKIXPublicKey(&ownKey().PublicKey)
			if err != nil {
				p.t.Error(err)
			}
			signed := encode([]byte(`{"alg":"HS256","kid":"own"}`)) + "." + encode([]byte(p.payload()))
			mac := hmac.New(sha256.New, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
			mac.Write([]byte(signed))
			return signed + "." + encode(mac.Sum(nil))
		}, false},
		"HS256 with the client secret": {func(p *idp) string {
			signed := encode([]byte(`{"alg":"HS256"}`)) + "." + encode([]byte(p.payload()))
			mac := hmac.New(sha256.New, []byte(p.client().Secret.Reveal()))
			mac.Write([]byte(signed))
			return signed + "." + encode(mac.Sum(nil))
		}, false},
		"a changed payload": {func(p *idp) string {
			parts := strings.Split(oidctest.SignIDToken(ownKey(), "own", "RS256", p.payload()), ".")
			p.claims = m{"sub": "2"}
			return parts[0] + "." + encode([]byte(p.payload())) + "." + parts[2]
		}, false},
		"its key in its header": {func(p *idp) string {
			jwk := `{"kty":"EC","crv":"P-256","x":"` + encode(curveKey().X.FillBytes(make([]byte, 32))) + `","y":"` + encode(curveKey().Y.FillBytes(make([]byte, 32))) + `"}`
			parts := strings.Split(oidctest.SignIDToken(curveKey(), "own", "ES256", p.payload()), ".")
			return encode([]byte(`{"alg":"ES256","jwk":`+jwk+`}`)) + "." + parts[1] + "." + parts[2]
		}, false},
		"two signatures": {func(p *idp) string {
			parts := strings.Split(oidctest.SignIDToken(ownKey(), "own", "RS256", p.payload()), ".")
			one := `{"protected":"` + parts[0] + `","signature":"` + parts[2] + `"}`
			return `{"payload":"` + parts[1] + `","signatures":[` + one + `,` + one + `]}`
		}, false},
		"nothing": {func(*idp) string { return "" }, false},
		"no JWT":  {func(*idp) string { return "a.b.c" }, false},
		"huge":    {func(*idp) string { return strings.Repeat("A", 2<<20) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newIDP(t)
			p.token = func() string { return c.token(p) }
			id, err := p.identify(t.Context(), New(nil))
			switch {
			case c.good && err != nil:
				t.Errorf("refused: %v", err)
			case !c.good && err == nil:
				t.Errorf("believed: %+v", id)
			case err != nil && !errors.Is(err, signon.ErrRejected) && name != "huge":
				t.Errorf("%v, want ErrRejected", err)
			}
			if err != nil && len(err.Error()) > 2*maxError {
				t.Errorf("an error of %d bytes", len(err.Error()))
			}
		})
	}
}

// TestRotation: an unknown key is fetched; a removed one is rejected once the
// description is fetched again.
func TestRotation(t *testing.T) {
	t.Parallel()
	p := newIDP(t)
	clock := time.Now()
	c := New(func() time.Time { return clock })
	good := func(what string, want bool) {
		t.Helper()
		if _, err := p.identify(t.Context(), c); (err == nil) != want {
			t.Errorf("%s: %v", what, err)
		}
	}
	signed := func(with string) {
		p.set(func() {
			p.token = func() string {
				key := ownKey()
				if with == "next" {
					key = nextKey()
				}
				return oidctest.SignIDToken(key, with, "RS256", p.payload())
			}
		})
	}
	signed("own")
	good("the first key", true)
	good("again", true)
	if n := p.count("keys"); n != 1 {
		t.Errorf("the keys were fetched %d times, want once", n)
	}
	signed("next")
	good("a key that is not published", false)
	p.publish(ownKey(), nextKey())
	good("a key that was published meanwhile", true)
	signed("own")
	good("the old one, while it is published", true)
	p.publish(nextKey())
	clock = clock.Add(freshFor)
	good("a withdrawn key", false)
	signed("next")
	good("the new one", true)
}

// TestAuthTime: auth_time as the provider reports it.
func TestAuthTime(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		told any
		want time.Time
	}{
		"told": {1700000000, time.Unix(1700000000, 0).UTC()}, "with a fraction": {1700000000.5, time.Unix(1700000000, 0).UTC()},
		"not told": {nil, time.Time{}}, "as a text": {"1700000000", time.Time{}}, "negative": {-5, time.Time{}}, "absurd": {1e300, time.Time{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newIDP(t)
			p.claims = m{"auth_time": c.told}
			id, err := p.identify(t.Context(), New(nil))
			if err != nil || !id.AuthTime.Equal(c.want) {
				t.Errorf("%v %v, want %v", id.AuthTime, err, c.want)
			}
		})
	}
}

// TestAlgorithms: announced algorithms are accepted if asymmetric.
func TestAlgorithms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ announced, want []string }{
		{nil, []string{"RS256"}}, {[]string{"none", "HS256", "HS512", "dir"}, []string{"RS256"}},
		{[]string{"HS256", "ES256", "none", "PS512"}, []string{"ES256", "PS512"}},
	} {
		if got := accepted(c.announced); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.announced, got, c.want)
		}
	}
	p := newIDP(t)
	p.description = m{"id_token_signing_alg_values_supported": []string{"ES256", "HS256"}}
	p.publish(curveKey(), ownKey())
	p.token = func() string { return oidctest.SignIDToken(curveKey(), "other", "ES256", p.payload()) }
	if _, err := p.identify(t.Context(), New(nil)); err != nil {
		t.Errorf("an announced algorithm: %v", err)
	}
	p.set(func() { p.token = nil }) // RS256 by a published key, though not announced
	if _, err := p.identify(t.Context(), New(nil)); !errors.Is(err, signon.ErrRejected) {
		t.Errorf("an algorithm that is not announced: %v", err)
	}
}
