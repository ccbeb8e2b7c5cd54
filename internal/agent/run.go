package agent

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// Limits of the server. Writing a response has none, since an operation may wait
// for its turn and for a touch; package middleware limits reading a body.
const (
	headerTimeout = 5 * time.Second
	idleTimeout   = 2 * time.Minute
	maxHeader     = 32 << 10
	// shutdownTimeout exceeds the longest call of the token tool.
	shutdownTimeout = 5 * time.Minute
)

// Run serves until ctx ends, then waits for the running operation; queued ones
// are dropped. It returns an error when the configuration is wrong, the port is
// taken, or serving fails.
func Run(ctx context.Context, c Config) error {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if err := c.Validate(); err != nil {
		return err
	}
	identity, err := newSigner(c.Identity)
	if err != nil {
		return err
	}
	listener, err := bind(ctx, c.Listen)
	if err != nil {
		return err
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		_ = listener.Close()
		return err
	}
	s := newServer(c, identity)
	srv := &http.Server{
		Handler:           s.handler(c, port),
		ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: maxHeader, ConnContext: withPeer,
		ErrorLog: slog.NewLogLogger(c.Log.Handler(), slog.LevelDebug),
	}
	// The key comes last: generating it can occupy a small machine, and the
	// server should answer at once.
	served := make(chan error, 1)
	go func() { served <- srv.Serve(listener) }()
	s.key.start(c.Key, c.Log)
	watchCtx, stopWatching := context.WithCancel(ctx)
	var watching sync.WaitGroup
	if c.Readers != nil {
		watching.Go(func() { c.Readers.Run(watchCtx) })
	}
	watching.Go(func() { s.checkTool(watchCtx) })
	c.Log.Info("your agent's code, in case the page asks you to compare it; keyward-agent code prints it, too", "code", identity.code)
	c.Log.Info("listening", "address", listener.Addr().String(), "origins", c.Origins, "dev", c.Dev, "version", c.Version)
	if c.Ready != nil {
		c.Ready(listener.Addr().String())
	}

	select {
	case err = <-served:
	case <-ctx.Done():
		err = s.shutdown(srv)
	}
	stopWatching()
	watching.Wait()
	return err
}

// checkTool logs at startup what every operation would report later.
func (s *server) checkTool(ctx context.Context) {
	err := s.queue.run(ctx, func(ctx context.Context) error {
		_, err := s.driver.Tool(ctx)
		return err
	})
	if err != nil && !errors.Is(err, errGone) && !errors.Is(err, errClosing) {
		s.log.Warn("token operations will fail until the token tool works", "cause", err.Error())
	}
}

// shutdown ends streams and the queue, then waits for running requests.
func (s *server) shutdown(srv *http.Server) error {
	s.log.Info("stopping; waiting for a running operation")
	ctx, cancel := context.WithTimeout(context.Background(), shutdownTimeout)
	defer cancel()
	close(s.events.closing)
	go s.queue.close()
	err := srv.Shutdown(ctx)
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}
