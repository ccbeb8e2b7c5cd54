package oidc

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
	"golang.org/x/sync/singleflight"

	"github.com/keyward/keyward/internal/signon"
)

// How long a provider's description is used.
const (
	freshFor   = 10 * time.Minute // then it is fetched again, with the keys
	retryAfter = 30 * time.Second // when that failed
	staleFor   = 24 * time.Hour   // while the provider does not answer
)

// Connector is a signon.Provider. Make it with New.
type Connector struct {
	client *http.Client
	strict *http.Client // accepts only status 200
	now    func() time.Time
	flight singleflight.Group

	mu    sync.Mutex
	known *described // the provider of the settings; there is only one
}

// New makes a Connector; now nil is time.Now.
func New(now func() time.Time) *Connector {
	if now == nil {
		now = time.Now
	}
	client := newClient()
	strict := *client
	strict.Transport = onlyOK{client.Transport}
	return &Connector{client: client, strict: &strict, now: now}
}

// described is a provider's description.
type described struct {
	issuer     string
	provider   *oidc.Provider
	keys       oidc.KeySet
	endSession string
	style      oauth2.AuthStyle
	algorithms []string
	claims     bool // the claims parameter may be sent
	fetched    time.Time
	retry      time.Time // not before this time
}

// Discover implements signon.Provider.
func (c *Connector) Discover(ctx context.Context, issuer string) error {
	_, err := c.fetch(ctx, issuer)
	return err
}

// get returns the description, from memory while it is recent enough.
func (c *Connector) get(ctx context.Context, issuer string) (*described, error) {
	c.mu.Lock()
	k, now := c.known, c.now()
	if k != nil && k.issuer != issuer {
		k = nil
	}
	fresh := k != nil && (now.Sub(k.fetched) < freshFor || now.Before(k.retry))
	c.mu.Unlock()
	if fresh {
		return k, nil
	}
	fetched, err := c.fetch(ctx, issuer)
	if err != nil && k != nil && now.Sub(k.fetched) < staleFor && errors.Is(err, signon.ErrUnavailable) {
		c.mu.Lock()
		k.retry = now.Add(retryAfter)
		c.mu.Unlock()
		return k, nil
	}
	return fetched, err
}

// fetch gets the description again. Concurrent callers share one call, which
// continues when one of them leaves.
func (c *Connector) fetch(ctx context.Context, issuer string) (*described, error) {
	result := c.flight.DoChan(issuer, func() (any, error) {
		d, err := c.describe(context.WithoutCancel(ctx), issuer)
		if err != nil {
			return nil, err
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.known = d
		return d, nil
	})
	select {
	case <-ctx.Done():
		return nil, unavailable(ctx.Err())
	case r := <-result:
		d, ok := r.Val.(*described)
		if r.Err == nil && !ok {
			r.Err = rejected(errors.New("no description"))
		}
		return d, r.Err
	}
}

func (c *Connector) describe(ctx context.Context, issuer string) (*described, error) {
	if !signon.ValidIssuer(issuer) {
		return nil, rejected(errors.New("the issuer is no https address"))
	}
	provider, err := oidc.NewProvider(oidc.ClientContext(ctx, c.strict), issuer)
	if _, ok := errors.AsType[*oidc.IssuerMismatchError](err); ok {
		return nil, rejected(errors.New("the description names another issuer"))
	}
	if err != nil {
		return nil, unavailable(err)
	}
	var m struct {
		Authorization string   `json:"authorization_endpoint"`
		Token         string   `json:"token_endpoint"`
		Keys          string   `json:"jwks_uri"`
		UserInfo      string   `json:"userinfo_endpoint"`
		EndSession    string   `json:"end_session_endpoint"`
		AuthMethods   []string `json:"token_endpoint_auth_methods_supported"`
		Algorithms    []string `json:"id_token_signing_alg_values_supported"`
		Claims        any      `json:"claims_parameter_supported"` // any: a provider that sends it as text is no reason to fail
	}
	if err := provider.Claims(&m); err != nil {
		return nil, rejected(err)
	}
	plain := issuer[:5] == "http:"
	for name, address := range map[string]string{"authorization_endpoint": m.Authorization, "token_endpoint": m.Token, "jwks_uri": m.Keys} {
		if !usable(address, plain) {
			return nil, rejected(fmt.Errorf("the description's %s is no https address", name))
		}
	}
	for name, address := range map[string]string{"userinfo_endpoint": m.UserInfo, "end_session_endpoint": m.EndSession} {
		if address != "" && !usable(address, plain) {
			return nil, rejected(fmt.Errorf("the description's %s is no https address", name))
		}
	}
	return &described{
		issuer: issuer, provider: provider, keys: oidc.NewRemoteKeySet(oidc.ClientContext(ctx, c.strict),
			m.Keys), endSession: m.EndSession, style: style(m.AuthMethods),
		algorithms: accepted(m.Algorithms), claims: m.Claims != false && m.Claims != "false", fetched: c.now(),
	}, nil
}

// usable accepts https, and http on loopback if the issuer is there, too.
func usable(address string, plain bool) bool {
	u, err := url.Parse(address)
	return err == nil && signon.SafeURL(u) && (u.Scheme == "https" || plain)
}

// style returns how the client authenticates (OpenID Connect Discovery 1.0,
// token_endpoint_auth_methods_supported: client_secret_basic when absent).
func style(methods []string) oauth2.AuthStyle {
	if len(methods) == 0 || slices.Contains(methods, "client_secret_basic") {
		return oauth2.AuthStyleInHeader
	}
	return oauth2.AuthStyleInParams
}

// asymmetric lists the algorithms allowed for ID tokens: none with a shared
// secret, and not "none".
var asymmetric = []string{
	oidc.RS256, oidc.RS384, oidc.RS512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.EdDSA,
}

// accepted returns the announced algorithms that are allowed, or RS256, which
// every provider must support.
func accepted(announced []string) []string {
	var out []string
	for _, a := range announced {
		if slices.Contains(asymmetric, a) {
			out = append(out, a)
		}
	}
	if len(out) == 0 {
		out = []string{oidc.RS256}
	}
	return out
}
