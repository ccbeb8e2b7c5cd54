package middleware

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"

	"github.com/keyward/keyward/internal/problem"
)

// RequestContext is what is known of one request, and the writer of its response.
type RequestContext struct {
	http.ResponseWriter

	RequestID string
	Cause     error // of a 5xx, for the log
	Status    int   // of the answer; zero before it is sent
	Written   int64 // bytes of the answer's body
}

// Base lets a server's own context, which embeds this one, take its place.
func (x *RequestContext) Base() *RequestContext { return x }

// Carrier is a RequestContext, or embeds one.
type Carrier interface{ Base() *RequestContext }

type carrierKey struct{}

// Begin sets the request's id, its own X-Request-Id if acceptable, and attaches
// the carrier to its context.Context for all layers.
func Begin(c Carrier, w http.ResponseWriter, r *http.Request) *http.Request {
	x := c.Base()
	x.ResponseWriter, x.RequestID = w, RequestID(r.Header)
	w.Header()["X-Request-Id"] = []string{x.RequestID}
	if len(r.TransferEncoding) > 0 {
		// If there was a length besides the chunks, which net/http drops, a proxy
		// may have seen a different end of this request: nothing after it may count
		// as the next request (RFC 9112, section 6.1).
		w.Header()["Connection"] = []string{"close"}
	}
	if r.ContentLength != 0 {
		// net/http keeps reading for a while if a handler has not read the body.
		ArriveWithin(w, BodyTimeout)
	}
	return r.WithContext(context.WithValue(r.Context(), carrierKey{}, c))
}

// Identify begins the RequestContext of every request, and answers for a handler that panics.
func Identify(log *slog.Logger, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := &RequestContext{}
		r = Begin(x, w, r)
		defer func() {
			if p := recover(); p != nil && x.Recovered(r.Context(), log, p) {
				panic(http.ErrAbortHandler)
			}
		}()
		next.ServeHTTP(x, r)
	})
}

// CarrierFrom returns the carrier passed to Begin, or nil.
func CarrierFrom(ctx context.Context) Carrier {
	c, _ := ctx.Value(carrierKey{}).(Carrier)
	return c
}

// From returns the RequestContext of the request of ctx; outside requests, an empty one.
func From(ctx context.Context) *RequestContext {
	if c := CarrierFrom(ctx); c != nil {
		return c.Base()
	}
	return &RequestContext{}
}

// WriteHeader records the first final status.
func (x *RequestContext) WriteHeader(status int) {
	if x.Status == 0 && status >= http.StatusOK {
		x.Status = status
	}
	x.ResponseWriter.WriteHeader(status)
}

// Write counts the bytes of the answer.
func (x *RequestContext) Write(b []byte) (int, error) {
	if x.Status == 0 {
		x.Status = http.StatusOK
	}
	n, err := x.ResponseWriter.Write(b)
	x.Written += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (x *RequestContext) Unwrap() http.ResponseWriter { return x.ResponseWriter }

// Fail answers with an error.
func (x *RequestContext) Fail(err error) { x.document(err).Write(x) }

// document keeps the cause of a 5xx for the log.
func (x *RequestContext) document(err error) problem.Document {
	d := problem.From(err, x.RequestID)
	if d.Status >= http.StatusInternalServerError {
		x.Cause = err
	}
	return d
}

// Recovered answers for a handler that panicked with p. It reports whether to
// cut the connection by a panic with http.ErrAbortHandler: when the answer has
// begun (a truncated one must not look complete), and when the client is gone.
func (x *RequestContext) Recovered(ctx context.Context, log *slog.Logger, p any) (cut bool) {
	if err, ok := p.(error); ok {
		// The HTTP library panics when it cannot write its answer: the client
		// is gone, or reads too slowly.
		if _, gone := errors.AsType[*net.OpError](err); gone || errors.Is(err, http.ErrAbortHandler) {
			return true
		}
	}
	log.LogAttrs(context.WithoutCancel(ctx), slog.LevelError, "panic in a handler",
		slog.String("request_id", x.RequestID), slog.String("panic", fmt.Sprint(p)), slog.String("stack", string(debug.Stack())))
	if x.Status != 0 {
		x.Status = http.StatusInternalServerError
		return true
	}
	x.Fail(fmt.Errorf("panic: %v", p))
	return false
}

// Problem is a problem document in the form of the HTTP library's errors.
type Problem struct{ problem.Document }

// NewProblem turns an error into the answer to the request of ctx, once, and
// keeps the cause of a 5xx for the log.
func NewProblem(ctx context.Context, err error) *Problem { return &Problem{From(ctx).document(err)} }

// Error returns the public detail.
func (p *Problem) Error() string { return p.Detail }

// GetStatus returns the HTTP status.
func (p *Problem) GetStatus() int { return p.Document.Status }

// ContentType is that of RFC 9457, whatever was negotiated.
func (p *Problem) ContentType(string) string { return problem.ContentType }

// GetHeaders returns Retry-After if the status calls for it.
func (p *Problem) GetHeaders() http.Header {
	if s := p.RetryAfterSeconds(); s > 0 {
		return http.Header{"Retry-After": {fmt.Sprint(s)}}
	}
	return nil
}
