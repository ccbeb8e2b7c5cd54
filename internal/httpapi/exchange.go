package httpapi

import (
	"context"
	"net/http"
	"net/netip"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/edge"
	"github.com/keyward/keyward/internal/user"
)

// exchange is one request with what the layers learn about it, and the writer
// of its answer. There is one per request, so that the layers need not copy
// the request again and again.
type exchange struct {
	edge.Exchange

	start   time.Time
	client  netip.Addr
	https   bool
	route   *route        // nil before routing
	request *http.Request // as the router found it
	actor   access.Actor
	account user.User // the actor's, as check 3 found it
	scope   access.Scope
	sent    *sentBody // what a frontend passes on; nil: no body
}

func exchangeFrom(ctx context.Context) *exchange {
	x, _ := edge.CarrierFrom(ctx).(*exchange)
	return x
}

// ActorFrom is who asks, complete with address, agent and request id. In a
// public operation it has only these three.
func ActorFrom(ctx context.Context) access.Actor {
	if x := exchangeFrom(ctx); x != nil {
		return x.actor
	}
	return access.Actor{}
}

// ScopeFrom is which rows the actor may reach with this operation. In a
// public operation it is the zero Scope, which lets nothing through.
func ScopeFrom(ctx context.Context) access.Scope {
	if x := exchangeFrom(ctx); x != nil {
		return x.scope
	}
	return access.Scope{}
}

// AccountFrom is the actor's account as check 3 found it; the zero User for an
// API key and in a public operation.
func AccountFrom(ctx context.Context) user.User {
	if x := exchangeFrom(ctx); x != nil {
		return x.account
	}
	return user.User{}
}

// BearerFrom is the bearer token of the request; empty without one.
func BearerFrom(ctx context.Context) string {
	if x := exchangeFrom(ctx); x != nil {
		if bearer, err := bearerToken(x.request.Header); err == nil {
			return bearer
		}
	}
	return ""
}

// WriterFrom is the writer of the answer, for handlers that stream, and for
// the deadlines that http.ResponseController sets on it.
func WriterFrom(ctx context.Context) http.ResponseWriter { return exchangeFrom(ctx) }

// Begun tells whether a part of the answer was sent.
func Begun(ctx context.Context) bool { return exchangeFrom(ctx).Status != 0 }

// InfoFrom is what is known of the request, for operations without an actor.
func InfoFrom(ctx context.Context) RequestInfo {
	x := exchangeFrom(ctx)
	if x == nil {
		return RequestInfo{}
	}
	return RequestInfo{RequestID: x.RequestID, IPAddress: x.actor.IPAddress, UserAgent: x.actor.UserAgent, HTTPS: x.https}
}

const maxUserAgent = 512

// userAgent is the request's User-Agent, cut to what we store, without
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
