package tracing_test

import (
	"context"
	"net/http"
	"testing"

	"go.opentelemetry.io/otel/trace"

	"github.com/keyward/keyward/internal/tracing"
)

// TestOff: without a collector, tracing allocates nothing.
func TestOff(t *testing.T) {
	ctx, header := t.Context(), http.Header{"Traceparent": {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}}
	allocations := testing.AllocsPerRun(100, func() {
		ctx, span := tracing.Root(tracing.Caller(ctx, header), "request", trace.SpanKindServer)
		ctx, inner := tracing.Query(ctx, "sqlite", "-- name: Setting :one")
		inner.End(context.Canceled)
		_ = tracing.Continue(context.Background(), ctx)
		span.Name("GET /api/auth/me")
		span.End(nil)
		if span.On() || span.TraceID() != "" {
			t.Error("there is a span")
		}
	})
	if allocations != 0 {
		t.Errorf("%v allocations", allocations)
	}
}
