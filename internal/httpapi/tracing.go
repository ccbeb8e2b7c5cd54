package httpapi

import (
	"net/http"
	"net/netip"
	"strconv"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/keyward/keyward/internal/tracing"
)

// traced begins the request's span, except for probes, of which there is one every few seconds.
// Only a trusted proxy can say to which trace it belongs: anybody else could have all their
// requests recorded.
func (s *Server) traced(x *requestContext, r *http.Request) *http.Request {
	if beside[r.URL.Path] {
		return r
	}
	ctx := r.Context()
	if peer, err := netip.ParseAddrPort(r.RemoteAddr); err == nil && s.trusts(peer.Addr().Unmap().WithZone("")) {
		ctx = tracing.Caller(ctx, r.Header)
	}
	ctx, x.span = tracing.Root(ctx, "request", trace.SpanKindServer)
	if !x.span.On() {
		return r
	}
	return r.WithContext(ctx)
}

// endSpan names the span after the operation: the request's own method and path are the client's
// words.
func (x *requestContext) endSpan() {
	if !x.span.On() {
		return
	}
	attrs := []attribute.KeyValue{attribute.Int("http.response.status_code", x.Status)}
	name := "request"
	switch {
	case x.route == nil:
	case x.route.Path == "":
		name = string(x.route.ID)
	default:
		name = x.route.Method + " " + x.route.Path
		attrs = append(attrs, attribute.String("http.request.method", x.route.Method), attribute.String("http.route", x.route.Path),
			attribute.String("keyward.operation", string(x.route.ID)))
	}
	x.span.Name(name, attrs...)
	if x.Status >= http.StatusInternalServerError {
		x.span.Fail(strconv.Itoa(x.Status))
	}
	x.span.End(nil)
}
