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

// The cookie carries a browser's refresh token, out of reach of scripts. Over https its
// prefix keeps other hosts of the domain, and plain http, from setting one (RFC
// 6265bis, section 4.1.3.2): anyone who plants their own cookie would have the person
// work in their account. The prefix requires Path=/. On plain loopback there is no
// prefix; the path limits the cookie to the addresses that need it.
const (
	hostRefresh     = "__Host-keyward_refresh"
	loopbackRefresh = "keyward_refresh"
)

// A second cookie tells scripts that the first one exists, and for which session. So a
// page where nobody is signed in need not request a session only to be refused, and one
// that is refused late does not discard what another tab has obtained meanwhile.
// Planting or deleting it only makes a page ask in vain, or show the sign-in form.
const (
	hostHint     = "__Host-keyward_session"
	loopbackHint = "keyward_session"
)

// RefreshCookie is the cookie of a refresh, under either of its names.
type RefreshCookie struct {
	Host     string `cookie:"__Host-keyward_refresh" doc:"over https"`
	Loopback string `cookie:"keyward_refresh" doc:"at a site that is plain http on loopback"`

	sent []*http.Cookie
}

// Resolve reads all cookies of the request: the library only knows the first of each
// name.
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

// value returns the token of the one cookie that this site sets. A cookie of the other
// name may come from anyone, and of two with the same name it is unknown which is ours.
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

// secure reports whether the browser's connection is encrypted, or must be.
func (s site) secure(ctx context.Context) bool {
	return httpapi.InfoFrom(ctx).HTTPS || !plainLoopback(s.SiteURL())
}

// cookie is Secure unless the page itself is plain http on loopback, where a browser
// would not send a secure one back.
func (s site) cookie(ctx context.Context, value string, expires time.Time) http.Cookie {
	c := http.Cookie{ //nolint:gosec // Secure is decided below, the other two are set
		Name: loopbackRefresh, Value: value, Path: "/api/auth", Expires: expires, HttpOnly: true, SameSite: http.SameSiteStrictMode,
	}
	if s.secure(ctx) {
		c.Name, c.Path, c.Secure = hostRefresh, "/", true
	}
	return c
}

// cookies returns the refresh cookie and the one that tells scripts of its session; an
// expires in the past removes both.
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

// refreshToken takes the token from the body, or for a web client from the cookie: then
// the header and an allowed Origin prove that one of our pages asks (contract, "same,
// for a browser").
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
