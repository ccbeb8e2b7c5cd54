package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Bounds on a connection. A client that sends its headers or reads its answer
// slower than that holds a socket for nothing.
const (
	readHeaderTimeout = 10 * time.Second
	idleTimeout       = 120 * time.Second
	maxHeaderBytes    = 32 << 10
)

// WriteTimeout is for a client to take an ordinary answer. A handler that
// streams extends it by http.ResponseController.
const WriteTimeout = 60 * time.Second

// Stop is how Serve ends.
type Stop struct {
	Announce func()        // says that the end has begun; nil: nobody is told
	Delay    time.Duration // in which all is answered still, so that load balancers notice
	Limit    time.Duration // then, for the requests under way to get their answer
}

// Serve answers requests on the listener until ctx ends, over TLS when that
// is a listener of package tls. Then it announces the end, answers for the
// delay as before, stops accepting, answers what it has begun to read within the
// limit, and returns: nil when all had their answer. Only after that may the
// stores be closed. The context of the requests themselves is not ctx: their
// work goes on while they drain.
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
