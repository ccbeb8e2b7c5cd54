package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"

	"github.com/keyward/keyward/internal/access"
)

// webRoute stands for everything that the web UI answers.
var webRoute = &route{Operation: Operation{ID: "web"}}

// finish runs when a request is answered, or has panicked.
func (s *Server) finish(x *exchange, r *http.Request) {
	if p := recover(); p != nil {
		s.recovered(x, r, p)
	}
	if x.status == 0 { // net/http sends 200 for a handler that wrote nothing
		x.status = http.StatusOK
	}
	took := s.opts.Now().Sub(x.start)
	s.opts.Metrics.end(x.route, x.status, took)
	s.logRequest(x, r)
}

// recovered turns a panic into a 500, or cuts the connection when the answer
// had begun: a cut one is no answer, a half one would look like a whole.
func (s *Server) recovered(x *exchange, r *http.Request, p any) {
	if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		s.opts.Metrics.end(x.route, x.status, s.opts.Now().Sub(x.start))
		panic(http.ErrAbortHandler)
	}
	if err, ok := p.(error); ok {
		// The HTTP library panics when it cannot write its answer: the client
		// is gone, or reads too slowly.
		if _, gone := errors.AsType[*net.OpError](err); gone {
			s.opts.Metrics.end(x.route, x.status, s.opts.Now().Sub(x.start))
			panic(http.ErrAbortHandler)
		}
	}
	s.opts.Log.LogAttrs(context.WithoutCancel(r.Context()), slog.LevelError, "panic in a handler",
		slog.String("request_id", x.requestID), slog.String("panic", fmt.Sprint(p)), slog.String("stack", string(debug.Stack())))
	if x.status != 0 {
		s.opts.Metrics.end(x.route, http.StatusInternalServerError, s.opts.Now().Sub(x.start))
		panic(http.ErrAbortHandler)
	}
	s.fail(x, r, fmt.Errorf("panic: %v", p))
}

// logRequest writes one line: no query string, no header that may hold a
// secret. The path of what has no route is left out too; people mistype
// passwords into address bars.
func (s *Server) logRequest(x *exchange, r *http.Request) {
	failed := x.status >= http.StatusInternalServerError && x.cause != nil
	if !s.opts.AccessLog && !failed {
		return
	}
	level := slog.LevelInfo
	switch {
	case failed && r.Context().Err() == nil: // otherwise the client went away, and that is why
		level = slog.LevelError
	case x.route != nil && x.route.Limit == LimitOpen && x.status < http.StatusBadRequest:
		level = slog.LevelDebug // health checks and CRL fetches would drown the rest
	}
	ctx := context.WithoutCancel(r.Context())
	if !s.opts.Log.Enabled(ctx, level) {
		return
	}
	operation, path := access.Operation("none"), ""
	if x.route != nil {
		operation, path = x.route.ID, r.URL.Path
	}
	attrs := make([]slog.Attr, 0, 12)
	attrs = append(attrs,
		slog.String("request_id", x.requestID),
		slog.String("method", r.Method),
		slog.String("operation", string(operation)),
		slog.String("path", path),
		slog.Int("status", x.status),
		slog.Int64("bytes", x.written),
		slog.Int64("microseconds", s.opts.Now().Sub(x.start).Microseconds()),
		slog.String("ip_address", x.client.String()),
	)
	switch {
	case x.actor.APIKeyID != 0:
		attrs = append(attrs, slog.Int64("api_key_id", x.actor.APIKeyID))
	case x.actor.UserID != 0:
		attrs = append(attrs, slog.Int64("user_id", x.actor.UserID), slog.Int64("session_id", x.actor.SessionID))
	}
	if failed {
		attrs = append(attrs, slog.String("cause", x.cause.Error()))
	}
	s.opts.Log.LogAttrs(ctx, level, "request", attrs...)
}
