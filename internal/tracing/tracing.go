// Package tracing makes OpenTelemetry's spans. It costs nothing until Use.
//
// A span must not tell who did what to which token: its name and attributes are the program's
// own words, a host from the settings, or a status. Nothing comes from a path, a query, an
// argument or an error's text.
package tracing

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"unicode"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/keyward/keyward/internal/fault"
)

// scope is the name of what makes the spans.
const scope = "github.com/keyward/keyward"

// tracer is nil while tracing is off.
var tracer atomic.Pointer[trace.Tracer]

// Use turns tracing on, for the whole process; nil turns it off.
func Use(provider trace.TracerProvider) {
	if provider == nil {
		tracer.Store(nil)
		return
	}
	t := provider.Tracer(scope)
	tracer.Store(&t)
}

// Span is something that takes time. The zero Span is none.
type Span struct{ span trace.Span }

// Root begins a span for what nobody may have asked for: a request, a task. It is below the span
// of ctx, if there is one.
func Root(ctx context.Context, name string, kind trace.SpanKind, attrs ...attribute.KeyValue) (context.Context, Span) {
	t := tracer.Load()
	if t == nil {
		return ctx, Span{}
	}
	ctx, span := (*t).Start(ctx, name, trace.WithSpanKind(kind), trace.WithAttributes(attrs...))
	return ctx, Span{span}
}

// Child begins a span below that of ctx. If there is none, as in a task that looks around every
// second, nothing is traced.
func Child(ctx context.Context, name string, kind trace.SpanKind, attrs ...attribute.KeyValue) (context.Context, Span) {
	if tracer.Load() == nil || !trace.SpanContextFromContext(ctx).IsSampled() {
		return ctx, Span{}
	}
	return Root(ctx, name, kind, attrs...)
}

// Continue returns to with the span of from, for work that another goroutine does.
func Continue(to, from context.Context) context.Context {
	if tracer.Load() == nil {
		return to
	}
	return trace.ContextWithSpan(to, trace.SpanFromContext(from))
}

// Name replaces the span's name, once more is known, and adds attributes.
func (s Span) Name(name string, attrs ...attribute.KeyValue) {
	if s.span != nil {
		s.span.SetName(name)
		s.span.SetAttributes(attrs...)
	}
}

// On reports whether somebody will see the span.
func (s Span) On() bool { return s.span != nil && s.span.IsRecording() }

// TraceID is that of the whole trace, in hexadecimal; empty while tracing is off.
func (s Span) TraceID() string {
	if s.span == nil {
		return ""
	}
	return s.span.SpanContext().TraceID().String()
}

// End ends the span. Of an error, the code counts.
func (s Span) End(err error) {
	if err != nil {
		s.Fail(string(fault.CodeOf(err)))
	}
	if s.span != nil {
		s.span.End()
	}
}

// Fail marks the span as failed. kind is one of few: a code, a class of errors, a status.
func (s Span) Fail(kind string) {
	if s.span != nil {
		s.span.SetAttributes(attribute.String("error.type", kind))
		s.span.SetStatus(codes.Error, "")
	}
}

// Query begins a span for an SQL statement: sqlc begins each with its name, others begin with a
// word such as COMMIT.
func Query(ctx context.Context, system, text string) (context.Context, Span) {
	if tracer.Load() == nil || !trace.SpanContextFromContext(ctx).IsSampled() {
		return ctx, Span{}
	}
	text = strings.TrimPrefix(strings.TrimSpace(text), "-- name: ")
	name := text
	if end := strings.IndexFunc(text, unicode.IsSpace); end > 0 {
		name = text[:end]
	}
	return Root(ctx, "SQL "+name, trace.SpanKindClient, attribute.String("db.system.name", system))
}

// Caller returns ctx with the span that the caller's headers name (W3C Trace Context).
func Caller(ctx context.Context, h http.Header) context.Context {
	if tracer.Load() == nil {
		return ctx
	}
	// Without tracestate, which would be exported in the caller's own words.
	known := http.Header{"Traceparent": h["Traceparent"]}
	return propagation.TraceContext{}.Extract(ctx, propagation.HeaderCarrier(known))
}

// inject names the span of ctx to another part of Keyward.
func inject(ctx context.Context, h http.Header) {
	propagation.TraceContext{}.Inject(ctx, propagation.HeaderCarrier(h))
}
