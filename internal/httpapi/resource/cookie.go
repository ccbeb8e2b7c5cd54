package resource

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/httpapi"
	"github.com/keyward/keyward/internal/loopback"
	"github.com/keyward/keyward/internal/secret"
)

// The cookie carries a browser's refresh token, out of reach of scripts. Over
// https its prefix keeps other hosts of the domain, and plain http, from
// setting one of theirs (RFC 6265bis, section 4.1.3.2): whoever plants a cookie
// of their own lets the person work in their account. The prefix demands
// Path=/. On plain loopback there is no prefix; the path keeps the cookie from
// all but the addresses that it is for.
const (
	hostRefresh     = "__Host-keyward_refresh"
	loopbackRefresh = "keyward_refresh"
)

// A second cookie tells scripts that there is the first one, and of which session: so
// a page that nobody is signed in at need not ask for a session, only to be refused,
// and one that is refused late does not take what another tab has got meanwhile.
// Whoever plants or deletes it makes a page ask in vain, or show the sign-in form.
const (
	hostHint     = "__Host-keyward_session"
	loopbackHint = "keyward_session"
)

// RefreshCookie is the cookie of a refresh, under the two names that it has.
type RefreshCookie struct {
	Host     string `cookie:"__Host-keyward_refresh" doc:"over https"`
	Loopback string `cookie:"keyward_refresh" doc:"at a site that is plain http on loopback"`

	sent []*http.Cookie
}

// Resolve takes all cookies of the request: the library knows the first of a
// name only.
func (c *RefreshCookie) Resolve(ctx huma.Context) []error {
	h := http.Header{}
	ctx.EachHeader(func(name, value string) {
		if name == "Cookie" {
			h.Add(name, value)
		}
	})
	c.sent = (&http.Request{Header: h}).Cookies()
	return nil
}

// value is the token of the one cookie that this site has given. The one of
// the other name may come from anybody, and of two with the same name nobody
// knows which is ours.
func (c *RefreshCookie) value(secure bool) (secret.String, error) {
	name := loopbackRefresh
	if secure {
		name = hostRefresh
	}
	var found []string
	for _, cookie := range c.sent {
		if cookie.Name == name {
			found = append(found, cookie.Value)
		}
	}
	switch {
	case len(found) > 1:
		return secret.String{}, fault.Invalid(fault.Wrong("cookie", "two_refresh_cookies",
			"holds two refresh cookies, one of which is not from here: delete this site's cookies and sign in again"))
	case len(found) == 0 || found[0] == "":
		return secret.String{}, fault.New(fault.TokenMissing, "no_refresh_cookie", "Sign in first: there is no refresh cookie.")
	}
	return secret.New(found[0]), nil
}

// secure tells whether the browser's connection is encrypted, or must be.
func (s site) secure(ctx context.Context) bool {
	return httpapi.InfoFrom(ctx).HTTPS || !plainLoopback(s.SiteURL())
}

// cookie is Secure unless the page itself is plain http on loopback, where a
// browser would not send a secure one back.
func (s site) cookie(ctx context.Context, value string, expires time.Time) http.Cookie {
	c := http.Cookie{ //nolint:gosec // Secure is decided below, the other two are set
		Name: loopbackRefresh, Value: value, Path: "/api/auth", Expires: expires, HttpOnly: true, SameSite: http.SameSiteStrictMode,
	}
	if s.secure(ctx) {
		c.Name, c.Path, c.Secure = hostRefresh, "/", true
	}
	return c
}

// cookies are that of a refresh and the one that tells scripts of its session;
// expires in the past takes both away.
func (s site) cookies(ctx context.Context, refresh, session string, expires time.Time) []http.Cookie {
	c := s.cookie(ctx, refresh, expires)
	hint := c //nolint:gosec // scripts are to read it
	hint.Name, hint.Value, hint.Path, hint.HttpOnly = loopbackHint, session, "/", false
	if c.Secure {
		hint.Name = hostHint
	}
	return []http.Cookie{c, hint}
}

func plainLoopback(site string) bool {
	return strings.HasPrefix(site, "http://") && loopback.Site(site)
}

// refreshToken takes the token from the body, or for a web client from the
// cookie: then the header and an allowed Origin prove that a page of ours
// asks (contract, "same, for a browser").
func (s site) refreshToken(ctx context.Context, in *refreshInput) (secret.String, error) {
	if in.Client != webClient {
		if in.Body == nil {
			return secret.String{}, fault.Invalid(fault.Required("refresh_token"))
		}
		return in.Body.RefreshToken, nil
	}
	switch {
	case in.Body != nil:
		return secret.String{}, fault.Invalid(fault.Wrong("refresh_token", "cookie_instead", "must be absent: a web client sends its cookie"))
	case !s.OriginAllowed(in.Origin):
		return secret.String{}, fault.New(fault.PermissionDenied, "foreign_refresh",
			"A session can only be renewed from a Keyward page. Open Keyward and try again.")
	}
	return in.value(s.secure(ctx))
}
