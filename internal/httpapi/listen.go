package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Bounds on a connection. A client that sends its headers or reads its response more
// slowly ties up a socket for nothing.
const (
	readHeaderTimeout = 10 * time.Second
	idleTimeout       = 120 * time.Second
	maxHeaderBytes    = 32 << 10
)

// WriteTimeout is for a client to read an ordinary response. A handler that streams
// extends it with http.ResponseController.
const WriteTimeout = 60 * time.Second

// Stop configures how Serve ends.
type Stop struct {
	Announce func()        // called when the end begins; may be nil
	Delay    time.Duration // still answering, so that load balancers notice
	Limit    time.Duration // then, for running requests to be answered
}

// Serve answers requests on the listener until ctx ends, over TLS when that is a
// listener of package tls. Then it announces the end, answers for the delay as before,
// stops accepting, answers the requests it has begun to read within the limit, and
// returns: nil when all were answered. Only then may the stores be closed. The
// requests' context is not ctx: their work continues while they drain.
func Serve(ctx context.Context, ln net.Listener, h http.Handler, log *slog.Logger, stop Stop) error {
	srv := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: readHeaderTimeout,
		WriteTimeout:      WriteTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ln) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	if stop.Announce != nil {
		stop.Announce()
	}
	if stop.Delay > 0 {
		select {
		case err := <-served:
			return err
		case <-time.After(stop.Delay):
		}
	}
	drainCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stop.Limit)
	defer cancel()
	if err := srv.Shutdown(drainCtx); err != nil {
		return errors.Join(err, srv.Close())
	}
	return nil
}
