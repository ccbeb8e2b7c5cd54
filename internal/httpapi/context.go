package httpapi

import (
	"context"
	"net/http"
	"net/netip"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/middleware"
	"github.com/keyward/keyward/internal/tracing"
)

// requestContext is one request with what the layers learn about it, and the writer of its
// response. Using one per request saves the layers from copying the request repeatedly.
type requestContext struct {
	middleware.RequestContext

	start   time.Time
	span    tracing.Span
	client  netip.Addr
	https   bool
	route   *route        // nil before routing
	request *http.Request // as the router found it
	actor   access.Actor
	account account.User // the actor's, from check 3
	scope   access.Scope
	sent    *sentBody // passed on by a frontend; nil: no body

	measured bool // its metrics and its span are complete
}

func requestContextFrom(ctx context.Context) *requestContext {
	x, _ := middleware.CarrierFrom(ctx).(*requestContext)
	return x
}

// ActorFrom returns the actor, with address, agent and request id. In a public
// operation it has only these three.
func ActorFrom(ctx context.Context) access.Actor {
	if x := requestContextFrom(ctx); x != nil {
		return x.actor
	}
	return access.Actor{}
}

// ScopeFrom returns which rows the actor may reach with this operation. In a public
// operation it is the zero Scope, which admits nothing.
func ScopeFrom(ctx context.Context) access.Scope {
	if x := requestContextFrom(ctx); x != nil {
		return x.scope
	}
	return access.Scope{}
}

// AccountFrom returns the actor's account from check 3; the zero User for an API key
// and in a public operation.
func AccountFrom(ctx context.Context) account.User {
	if x := requestContextFrom(ctx); x != nil {
		return x.account
	}
	return account.User{}
}

// BearerFrom returns the request's bearer token; empty without one.
func BearerFrom(ctx context.Context) string {
	if x := requestContextFrom(ctx); x != nil {
		if bearer, err := bearerToken(x.request.Header); err == nil {
			return bearer
		}
	}
	return ""
}

// WriterFrom returns the response writer, for handlers that stream, and for setting
// deadlines with http.ResponseController.
func WriterFrom(ctx context.Context) http.ResponseWriter { return requestContextFrom(ctx) }

// Begun reports whether part of the response was sent.
func Begun(ctx context.Context) bool { return requestContextFrom(ctx).Status != 0 }

// InfoFrom returns what is known of the request, for operations without an actor.
func InfoFrom(ctx context.Context) RequestInfo {
	x := requestContextFrom(ctx)
	if x == nil {
		return RequestInfo{}
	}
	return RequestInfo{RequestID: x.RequestID, IPAddress: x.actor.IPAddress, UserAgent: x.actor.UserAgent, HTTPS: x.https}
}

const maxUserAgent = 512

// userAgent returns the request's User-Agent, truncated to what we store, without
// characters that would break a log line or a text column.
func userAgent(h http.Header) string {
	v := h["User-Agent"]
	if len(v) == 0 {
		return ""
	}
	ua := v[0]
	if len(ua) > maxUserAgent {
		ua = ua[:maxUserAgent]
	}
	for i := range len(ua) {
		if ua[i] < 0x20 || ua[i] > 0x7e {
			return asciiOnly(ua)
		}
	}
	return ua
}

func asciiOnly(s string) string {
	b := []byte(s)
	for i := range b {
		if b[i] < 0x20 || b[i] > 0x7e {
			b[i] = '?'
		}
	}
	return string(b)
}
