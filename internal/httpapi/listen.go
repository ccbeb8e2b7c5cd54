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

// Serve answers requests on the listener until ctx ends. Then it stops
// accepting, lets the requests in flight finish for at most drain, and
// returns: nil when all had their answer. Only after that may the stores be
// closed. The context of the requests themselves is not ctx: their work goes
// on while they drain.
func Serve(ctx context.Context, ln net.Listener, h http.Handler, log *slog.Logger, drain time.Duration) error {
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
	drainCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), drain)
	defer cancel()
	err := srv.Shutdown(drainCtx)
	if err != nil {
		err = errors.Join(err, srv.Close())
	}
	if e := <-served; !errors.Is(e, http.ErrServerClosed) {
		err = errors.Join(err, e)
	}
	return err
}
