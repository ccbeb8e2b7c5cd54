package resource

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/keyward/keyward/api/backend"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/httpapi"
	"github.com/keyward/keyward/internal/problem"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/settings"
	"github.com/keyward/keyward/internal/signon"
)

// The cookie carries the secret that binds a round through the provider to the browser.
// It must be sent on the provider's redirect, a navigation from another site:
// SameSite=Lax. Its prefix keeps other hosts of the domain, and plain http, from
// setting one, with which they could sign somebody in as themselves (RFC 6265bis,
// section 4.1.3.2). The prefix requires https, so a site on plain loopback goes
// without.
const (
	hostCookie     = "__Host-keyward_oidc"
	loopbackCookie = "keyward_oidc"
)

// RoundCookie is the cookie of a round, under either of its names.
type RoundCookie struct {
	Host     string `cookie:"__Host-keyward_oidc" doc:"at a site that is not plain http on loopback"`
	Loopback string `cookie:"keyward_oidc" doc:"at a site that is plain http on loopback"`
}

// browserSecret reads the one name that this site sets; the other may come from anyone.
func (s site) browserSecret(c RoundCookie) secret.String {
	if plainLoopback(s.SiteURL()) {
		return secret.New(c.Loopback)
	}
	return secret.New(c.Host)
}

// oidcCookieLife covers a round that begins just before another ends.
const oidcCookieLife = 2 * signon.StateLife

type redirectOutput struct {
	Status    int
	Location  string        `header:"Location"`
	SetCookie []http.Cookie `header:"Set-Cookie"`
}

type authConfigOutput struct {
	Body backend.AuthConfig
}

func registerOIDC(server *httpapi.Server, svc *signon.Service, passwords *settings.PasswordPolicies) {
	s, tags := site{server}, []string{"auth"}
	httpapi.Register(server, httpapi.Operation{ID: "auth-config", Method: http.MethodGet, Path: "/api/auth/config", Passes: httpapi.Always,
		Tags: tags, Summary: "Show the ways to sign in"},
		func(ctx context.Context, _ *struct{}) (*authConfigOutput, error) {
			set, err := svc.Load(ctx)
			if err != nil {
				return nil, err
			}
			policy, err := passwords.PasswordPolicy(ctx)
			if err != nil {
				return nil, err
			}
			out := &authConfigOutput{}
			out.Body.LocalLogin = set.AllowLocal()
			out.Body.OIDC.Enabled, out.Body.OIDC.Name = set.Enabled, set.Name
			out.Body.PasswordPolicy = backend.PasswordPolicy(policy)
			return out, nil
		})
	httpapi.Register(server, httpapi.Operation{ID: "oidc-start", Method: http.MethodGet, Path: "/api/auth/oidc/start",
		Tags: tags, Limit: httpapi.LimitLogin, Passes: httpapi.Always, Status: http.StatusFound,
		Summary: "Start single sign-on",
		Description: "For a browser to navigate to. Errors end at /login#error=CODE&request_id=…, with the same return_to and " +
			"reauthenticate."},
		func(ctx context.Context, in *struct {
			RoundCookie

			ReturnTo       string `query:"return_to" doc:"a path of this site, given back at the end; anything else is ignored"`
			Reauthenticate bool   `query:"reauthenticate" doc:"prove your identity again; the resulting code is for POST /api/auth/reauthenticate"`
		}) (*redirectOutput, error) {
			err := s.barred()
			var begun signon.Begun
			if err == nil {
				begun, err = svc.Start(ctx, clientOf(ctx), s.browserSecret(in.RoundCookie), in.ReturnTo, in.Reauthenticate)
			}
			if err != nil {
				// The page needs the destination, also when the person tries again.
				ended := signon.Ended{ReturnTo: signon.LocalPath(in.ReturnTo), Reauthenticate: in.Reauthenticate}
				return s.backToLogin(ctx, http.StatusFound, ended, err), nil
			}
			return &redirectOutput{Status: http.StatusFound, Location: begun.URL, SetCookie: []http.Cookie{s.browserCookie(ctx, begun.Browser)}}, nil
		})
	httpapi.Register(server, httpapi.Operation{ID: "oidc-callback", Method: http.MethodGet, Path: signon.CallbackPath,
		Tags: tags, Limit: httpapi.LimitLogin, Passes: httpapi.Always, Status: http.StatusSeeOther,
		Summary: "Return from the provider",
		Description: "Ends at /login#code=…&return_to=… (and reauthenticate=true), or at /login#error=CODE&request_id=…. The code is " +
			"for POST /api/auth/oidc/exchange, works once, within 60 seconds, in this browser."},
		func(ctx context.Context, in *struct {
			RoundCookie

			State       string `query:"state"`
			Code        string `query:"code"`
			Issuer      string `query:"iss" doc:"RFC 9207"`
			Error       string `query:"error"`
			Description string `query:"error_description" doc:"for the log"`
		}) (*redirectOutput, error) {
			if err := s.barred(); err != nil {
				return s.backToLogin(ctx, http.StatusSeeOther, signon.Ended{}, err), nil
			}
			answer := signon.Answer{State: in.State, Code: in.Code, Issuer: in.Issuer, Error: in.Error, Description: in.Description}
			ended, err := svc.Callback(ctx, clientOf(ctx), answer, s.browserSecret(in.RoundCookie))
			return s.backToLogin(ctx, http.StatusSeeOther, ended, err), nil
		})
	registerExchange(server, svc)
}

// barred returns why no sign-on proceeds: it writes, although a browser navigates to
// it, which is sent back to the sign-in page.
func (s site) barred() error {
	if err := s.Fixed(); err != nil {
		return err
	}
	return s.SignInBlocked()
}

func registerExchange(server *httpapi.Server, svc *signon.Service) {
	s := site{server}
	httpapi.Register(server, httpapi.Operation{ID: "oidc-exchange", Method: http.MethodPost, Path: "/api/auth/oidc/exchange",
		Tags: []string{"auth"}, Limit: httpapi.LimitLogin,
		Summary:     "Exchange the one-time code of single sign-on for tokens",
		Description: "In the browser that started it. A code that is used twice ends the session it started."},
		func(ctx context.Context, in *struct {
			RoundCookie

			Client string `header:"X-Keyward-Client" doc:"web: the refresh token comes as a cookie only"`
			Origin string `header:"Origin"`
			Body   backend.OIDCExchangeRequest
		}) (*grantOutput, error) {
			if err := s.ownPage(in.Origin); err != nil {
				return nil, err
			}
			g, err := svc.Exchange(ctx, clientOf(ctx), in.Body.Code, s.browserSecret(in.RoundCookie), in.Body.MachineID)
			if err != nil {
				return nil, err
			}
			return s.grant(ctx, g, in.Client), nil
		})
}

// ownPage refuses pages of other sites if the browser names them.
func (s site) ownPage(origin string) error {
	if origin == "" || s.OriginAllowed(origin) {
		return nil
	}
	return fault.New(fault.PermissionDenied, "foreign_page", "This only works from a Keyward page. Open Keyward and try again.")
}

// backToLogin redirects the browser to the sign-in page, with the result behind the #,
// where no server and no Referer sees it.
func (s site) backToLogin(ctx context.Context, status int, ended signon.Ended, err error) *redirectOutput {
	v := url.Values{}
	if err != nil {
		v.Set("error", s.reason(ctx, err))
		v.Set("request_id", httpapi.InfoFrom(ctx).RequestID)
	} else {
		v.Set("code", ended.Code.Reveal())
	}
	if ended.ReturnTo != "" {
		v.Set("return_to", ended.ReturnTo)
	}
	if ended.Reauthenticate {
		v.Set("reauthenticate", "true")
	}
	return &redirectOutput{Status: status, Location: s.SiteURL() + "/login#" + v.Encode()}
}

// reason returns the error code for the page. It logs failures of the server, since the
// response is a redirect and not a 5xx.
func (s site) reason(ctx context.Context, err error) string {
	if refusal, ok := errors.AsType[*signon.Refusal](err); ok {
		return string(refusal.Reason)
	}
	code := fault.CodeOf(err)
	if problem.Status(code) >= http.StatusInternalServerError && ctx.Err() == nil {
		s.Log().LogAttrs(ctx, slog.LevelError, "single sign-on failed",
			slog.String("request_id", httpapi.InfoFrom(ctx).RequestID), slog.String("cause", err.Error()))
	}
	return string(code)
}

// browserCookie is like cookie, but is also sent when the provider redirects the
// browser back.
func (s site) browserCookie(ctx context.Context, browser secret.String) http.Cookie {
	c := s.cookie(ctx, browser.Reveal(), s.Now().Add(oidcCookieLife)) //nolint:gosec // as cookie has it; only SameSite is another
	c.Name, c.Path, c.SameSite = loopbackCookie, "/api/auth", http.SameSiteLaxMode
	if !plainLoopback(s.SiteURL()) {
		c.Name, c.Path, c.Secure = hostCookie, "/", true
	}
	return c
}

type reauthenticateInput struct {
	RoundCookie

	Origin string `header:"Origin"`
	Body   backend.ReauthenticateRequest
}

// redeemProof redeems the code of a round in which the session's user proved their
// identity again.
func (s site) redeemProof(ctx context.Context, svc *signon.Service, in *reauthenticateInput) (time.Time, error) {
	if err := s.ownPage(in.Origin); err != nil {
		return time.Time{}, err
	}
	userID, at, err := svc.Redeem(ctx, clientOf(ctx), in.Body.Code, s.browserSecret(in.RoundCookie))
	if err != nil {
		// The access token is valid: 401 would make the page sign in again.
		if code := fault.CodeOf(err); code == fault.TokenInvalid || code == fault.TokenExpired || code == fault.TokenMissing {
			return time.Time{}, fault.Invalid(fault.Wrong("code", "bad_code",
				"is no longer valid; start again with GET /api/auth/oidc/start?reauthenticate=true")).With(err)
		}
		return time.Time{}, err
	}
	if userID != httpapi.ActorFrom(ctx).UserID {
		return time.Time{}, fault.Invalid(fault.Wrong("code", "code_of_another",
			"belongs to another account: sign in at the provider as yourself"))
	}
	return at, nil
}

// logoutURL returns where the page signs out at the provider, or nil. The session has
// already ended: the provider may answer slowly.
func (s site) logoutURL(ctx context.Context, svc *signon.Service, byOIDC bool) *string {
	if !byOIDC {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	address := svc.LogoutURL(ctx)
	if address == "" {
		return nil
	}
	return &address
}
