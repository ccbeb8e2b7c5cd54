package httpapi

import (
	"context"
	"net/http"
	"strings"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/problem"
)

// guard passes a request to its handler after, in this order: for a public operation
// the rate limit of the address; for any other the token, the session, the user
// (Authenticator, checks 1 to 3), the rate limit of the session, the permission (check
// 4). Only then may a response concern the body. The basis of the admission is passed
// along, so that every write checks it again: the body may take its time.
func (s *Server) guard(rt *route, next http.Handler) http.Handler {
	return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		x := requestContextFrom(r.Context())
		x.route, x.request = rt, r
		x.actor.RequestID = x.RequestID
		x.actor.IPAddress = x.client.String()
		x.actor.UserAgent = userAgent(r.Header)
		err := s.admit(x, r)
		if err == nil && r.ContentLength != 0 {
			err = rt.body.Prepare(x, r)
		}
		if err != nil {
			refuse(x, err)
			return
		}
		if !rt.public {
			r = r.WithContext(access.Admit(r.Context(), access.Admission{
				Actor: x.actor, Operation: rt.ID, Recent: access.NeedsRecent(rt.ID)}))
		}
		next.ServeHTTP(x, r)
	})
}

func (s *Server) admit(x *requestContext, r *http.Request) error {
	if x.route.public {
		if err := s.limits.class(x.route.Limit).take(limitKey(x.client)); err != nil {
			return err
		}
		return s.barred(x.route)
	}
	x.Header()["Cache-Control"] = noStore
	if err := s.barred(x.route); err != nil {
		return err
	}
	if err := s.authenticate(x, r); err != nil {
		if x.route.Witnessed && s.witness(r) {
			return s.limits.anonymous.take(limitKey(x.client))
		}
		// Guessing tokens counts against the address, and only failed guesses do. A
		// failure of the server is not a guess.
		if problem.Status(fault.CodeOf(err)) != http.StatusUnauthorized {
			return err
		}
		if limited := s.limits.anonymous.take(limitKey(x.client)); limited != nil {
			return limited
		}
		return err
	}
	if err := s.limits.session.take(callerKey(x.actor)); err != nil {
		return err
	}
	scope, err := access.Can(x.actor, x.route.ID)
	if err != nil {
		s.denied(r.Context(), err)
		return err
	}
	x.scope = scope
	if access.NeedsRecent(x.route.ID) {
		return access.Recently(x.actor, s.opts.Now())
	}
	return nil
}

// Begin sends the headers of a response that continues for as long as the client
// listens. Its duration says nothing, so metrics and traces end with the headers.
func (s *Server) Begin(ctx context.Context) error {
	x := requestContextFrom(ctx)
	x.WriteHeader(http.StatusOK)
	s.measured(x)
	return http.NewResponseController(x).Flush()
}

// Readmit repeats the guard's checks for a response that continues, and returns the
// actor as they are now. An error if they would not be admitted: after a change of role or
// organization, for instance, which ends sessions.
func (s *Server) Readmit(ctx context.Context) (access.Actor, error) {
	x := requestContextFrom(ctx)
	if err := s.barred(x.route); err != nil {
		return access.Actor{}, err
	}
	if err := s.authenticate(x, x.request); err != nil {
		return access.Actor{}, err
	}
	_, err := access.Can(x.actor, x.route.ID)
	return x.actor, err
}

// Fixed returns why nothing may be changed at the moment, for handlers that report it
// themselves.
func (s *Server) Fixed() error {
	if s.opts.Changes == nil {
		return nil
	}
	return s.opts.Changes()
}

// SignInBlocked returns why nobody is admitted at the moment, for a handler that reports it
// itself: a navigating browser is redirected to the sign-in page.
func (s *Server) SignInBlocked() error {
	if s.opts.SignInBlocked == nil {
		return nil
	}
	return s.opts.SignInBlocked()
}

// witness reports whether Options.Witness knows the request's token.
func (s *Server) witness(r *http.Request) bool {
	bearer, err := bearerToken(r.Header)
	return err == nil && s.opts.Witness != nil && s.opts.Witness(r.Context(), bearer)
}

// changes reports whether a method changes things.
func changes(method string) bool { return method != http.MethodGet && method != http.MethodHead }

// barred returns why nobody at all is admitted, or nothing may be changed; nil for what
// passes.
func (s *Server) barred(rt *route) error {
	if (changes(rt.Method) || rt.Writes) && !rt.Unbarred {
		if err := s.Fixed(); err != nil {
			return err
		}
	}
	if rt.Passes == Always {
		return nil
	}
	err := s.SignInBlocked()
	if rt.Passes == UntilCompared && !fault.Is(err, fault.RecoveryRequired) {
		return nil
	}
	return err
}

func (s *Server) authenticate(x *requestContext, r *http.Request) error {
	bearer, err := bearerToken(r.Header)
	if err != nil {
		return err
	}
	info := RequestInfo{RequestID: x.RequestID, IPAddress: x.actor.IPAddress, UserAgent: x.actor.UserAgent, HTTPS: x.https}
	actor, account, err := s.opts.Auth.Authenticate(r.Context(), bearer, info)
	if err != nil {
		return err
	}
	actor.RequestID, actor.IPAddress, actor.UserAgent = info.RequestID, info.IPAddress, info.UserAgent
	x.actor, x.account = actor, account
	return nil
}

const maxBearer = 8192

// bearerToken returns the token of the only Authorization header (RFC 6750, section
// 2.1). The scheme is case-insensitive.
func bearerToken(h http.Header) (string, error) {
	v := h["Authorization"]
	if len(v) == 0 {
		return "", fault.New(fault.TokenMissing, "no_access_token",
			"Sign in first: this operation needs Authorization: Bearer with an access token.")
	}
	const scheme = "bearer "
	if len(v) > 1 || len(v[0]) <= len(scheme) || len(v[0]) > maxBearer || !strings.EqualFold(v[0][:len(scheme)], scheme) {
		return "", fault.New(fault.TokenInvalid, "bad_authorization", "Send one Authorization header: Bearer and an access token.")
	}
	return v[0][len(scheme):], nil
}

// refuse answers without reading the body.
func refuse(x *requestContext, err error) {
	if fault.CodeOf(err) == fault.TokenMissing {
		x.Header().Set("WWW-Authenticate", "Bearer")
	} else if code := fault.CodeOf(err); code == fault.TokenExpired || code == fault.TokenInvalid || code == fault.SessionNotFound {
		x.Header().Set("WWW-Authenticate", `Bearer error="invalid_token"`)
	}
	x.Fail(err)
}
