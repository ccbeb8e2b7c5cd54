package oidc

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/signon"
)

func TestDescriptions(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		description m
		want        error
	}{
		"right":                        {nil, nil},
		"another issuer":               {m{"issuer": "https://evil.example"}, signon.ErrRejected},
		"no issuer":                    {m{"issuer": nil}, signon.ErrRejected},
		"no token endpoint":            {m{"token_endpoint": nil}, signon.ErrRejected},
		"no keys":                      {m{"jwks_uri": ""}, signon.ErrRejected},
		"plain http elsewhere":         {m{"token_endpoint": "http://id.example.org/token"}, signon.ErrRejected},
		"a script to go to":            {m{"authorization_endpoint": "javascript:alert(1)"}, signon.ErrRejected},
		"a file for keys":              {m{"jwks_uri": "file:///etc/passwd"}, signon.ErrRejected},
		"a password in the address":    {m{"jwks_uri": "https://a:b@id.example.org/"}, signon.ErrRejected},
		"user info over plain http":    {m{"userinfo_endpoint": "http://id.example.org/"}, signon.ErrRejected},
		"signing out over plain http":  {m{"end_session_endpoint": "http://id.example.org/"}, signon.ErrRejected},
		"a list where a text is due":   {m{"token_endpoint": []string{"x"}}, signon.ErrUnavailable},
		"another host, but over https": {m{"jwks_uri": "https://keys.example.org/"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newIDP(t)
			p.description = c.description
			if err := New(nil).Discover(t.Context(), p.URL); !errors.Is(err, c.want) {
				t.Errorf("%v, want %v", err, c.want)
			}
		})
	}
}

// TestElsewhere: the description is accepted only from the issuer's own origin.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	p := newIDP(t)
	for name, c := range map[string]struct {
		handler http.Handler
		want    error
	}{
		"a redirect to another origin": {http.RedirectHandler(p.URL+"/.well-known/openid-configuration", http.StatusFound),
			signon.ErrUnavailable},
		"a redirect in circles": {http.RedirectHandler("/.well-known/openid-configuration", http.StatusFound), signon.ErrUnavailable},
		"nothing":               {http.NotFoundHandler(), signon.ErrUnavailable},
		"endless":               {http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { flood(w) }), signon.ErrUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := httptest.NewServer(c.handler)
			t.Cleanup(s.Close)
			if err := New(nil).Discover(t.Context(), s.URL); !errors.Is(err, c.want) {
				t.Errorf("%v, want %v", err, c.want)
			}
		})
	}
	for _, issuer := range []string{"", "x", "http://id.example.org", "ftp://127.0.0.1", "https://id.example.org/?a=b", "http:"} {
		if err := New(nil).Discover(t.Context(), issuer); !errors.Is(err, signon.ErrRejected) {
			t.Errorf("issuer %q: %v", issuer, err)
		}
	}
}

// TestKept: one call for many, kept for ten minutes, and for a day when the
// provider does not answer.
func TestKept(t *testing.T) {
	t.Parallel()
	p := newIDP(t)
	clock := time.Now()
	var mu sync.Mutex
	c := New(func() time.Time { mu.Lock(); defer mu.Unlock(); return clock })
	later := func(d time.Duration) { mu.Lock(); defer mu.Unlock(); clock = clock.Add(d) }
	begin := func() error {
		_, err := c.AuthorizationURL(t.Context(), p.client(), aRound)
		return err
	}
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			if err := begin(); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	first := p.count("discovery")
	if first < 1 || first > 20 {
		t.Errorf("fetched %d times", first)
	}
	later(freshFor - time.Second)
	if err := begin(); err != nil || p.count("discovery") != first {
		t.Errorf("fetched again within ten minutes: %v", err)
	}
	later(time.Second)
	if err := begin(); err != nil || p.count("discovery") != first+1 {
		t.Errorf("not fetched after ten minutes: %v", err)
	}
	p.Close()
	later(freshFor)
	for range 3 {
		if err := begin(); err != nil {
			t.Errorf("the provider is down, and its description forgotten: %v", err)
		}
	}
	later(staleFor)
	if err := begin(); !errors.Is(err, signon.ErrUnavailable) {
		t.Errorf("a description of yesterday: %v", err)
	}
}
