package httpapi

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/keyward/keyward/internal/access"
)

// webRoute stands for all responses of the web UI.
var webRoute = &route{Operation: Operation{ID: "web"}}

// finish runs when a request is answered, or its handler has panicked.
func (s *Server) finish(x *requestContext, r *http.Request) {
	cut := false
	if p := recover(); p != nil {
		cut = x.Recovered(r.Context(), s.opts.Log, p)
	}
	if x.Status == 0 { // net/http sends 200 for a handler that wrote nothing
		x.Status = http.StatusOK
	}
	s.measured(x)
	if cut {
		panic(http.ErrAbortHandler)
	}
	s.logRequest(x, r)
}

// measured counts a request once: when it is answered, or when its stream begins.
func (s *Server) measured(x *requestContext) {
	if x.measured {
		return
	}
	x.measured = true
	s.opts.Metrics.end(x.route, x.Status, s.opts.Now().Sub(x.start))
	x.endSpan()
}

// logRequest writes one line: no query string, no header that may hold a secret. It
// also omits a path without a route; people mistype passwords into address bars.
func (s *Server) logRequest(x *requestContext, r *http.Request) {
	failed := x.Status >= http.StatusInternalServerError && x.Cause != nil
	if !s.opts.AccessLog && !failed {
		return
	}
	level := slog.LevelInfo
	switch {
	case failed && r.Context().Err() == nil: // otherwise the failure is that the client went away
		level = slog.LevelError
	case x.route != nil && (x.route.Limit == LimitOpen || x.route.Limit == LimitNone) && x.Status < http.StatusBadRequest:
		level = slog.LevelDebug // health checks, probes and CRL fetches would drown the rest
	}
	ctx := context.WithoutCancel(r.Context())
	if !s.opts.Log.Enabled(ctx, level) {
		return
	}
	operation, path := access.Operation("none"), ""
	if x.route != nil {
		operation, path = x.route.ID, r.URL.Path
	}
	attrs := make([]slog.Attr, 0, 13)
	attrs = append(attrs,
		slog.String("request_id", x.RequestID),
		slog.String("method", r.Method),
		slog.String("operation", string(operation)),
		slog.String("path", path),
		slog.Int("status", x.Status),
		slog.Int64("bytes", x.Written),
		slog.Int64("microseconds", s.opts.Now().Sub(x.start).Microseconds()),
		slog.String("ip_address", x.client.String()),
	)
	if id := x.span.TraceID(); id != "" {
		attrs = append(attrs, slog.String("trace_id", id))
	}
	switch {
	case x.actor.APIKeyID != 0:
		attrs = append(attrs, slog.Int64("api_key_id", x.actor.APIKeyID))
	case x.actor.UserID != 0:
		attrs = append(attrs, slog.Int64("user_id", x.actor.UserID), slog.Int64("session_id", x.actor.SessionID))
	}
	if failed {
		attrs = append(attrs, slog.String("cause", x.Cause.Error()))
	}
	s.opts.Log.LogAttrs(ctx, level, "request", attrs...)
}
