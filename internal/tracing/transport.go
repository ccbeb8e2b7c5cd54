package tracing

import (
	"net/http"
	"strconv"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
)

// Transport makes a span of each request that passes.
type Transport struct {
	Next http.RoundTripper
	To   string // what is called, as part of the span's name: "vault"
	Ours bool   // it is Keyward itself, and continues the trace
}

// RoundTrip implements http.RoundTripper.
func (t Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if tracer.Load() == nil {
		return t.Next.RoundTrip(r)
	}
	ctx, span := Child(r.Context(), t.To+" "+r.Method, trace.SpanKindClient,
		attribute.String("http.request.method", r.Method), attribute.String("server.address", r.URL.Hostname()))
	if !span.On() {
		return t.Next.RoundTrip(r)
	}
	r = r.Clone(ctx)
	if t.Ours {
		inject(ctx, r.Header)
	}
	res, err := t.Next.RoundTrip(r)
	switch {
	case err != nil:
		span.Fail("no_answer")
	case res.StatusCode >= http.StatusBadRequest:
		span.Fail(strconv.Itoa(res.StatusCode))
	}
	if err == nil {
		span.Name(t.To+" "+r.Method, attribute.Int("http.response.status_code", res.StatusCode))
	}
	span.End(nil)
	return res, err
}

// CloseIdleConnections lets http.Client reach those of the transport.
func (t Transport) CloseIdleConnections() {
	if next, ok := t.Next.(interface{ CloseIdleConnections() }); ok {
		next.CloseIdleConnections()
	}
}
