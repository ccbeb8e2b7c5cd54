package main

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/coreos/go-systemd/v22/daemon"
)

// service is a server as its service manager knows it (sd_notify).
type service struct {
	hangups chan os.Signal
	end     func() // waits until the manager is told of the end; nil before ready
}

// newService takes SIGHUP, which ends any other program, from now on. A server reads
// anew what it can; it never ends by it, nor by the terminal that goes away.
func newService() *service {
	s := &service{hangups: make(chan os.Signal, 1)}
	signal.Notify(s.hangups, syscall.SIGHUP)
	return s
}

// ready tells that requests are answered, and when ctx ends, that they soon are not.
// It calls reload, when not nil, at each hangup.
func (s *service) ready(ctx context.Context, log *slog.Logger, reload func()) {
	ctx, cancel := context.WithCancel(ctx)
	told := make(chan struct{})
	s.end = func() { cancel(); <-told }
	tell(log, daemon.SdNotifyReady)
	go func() {
		defer close(told)
		for {
			select {
			case <-ctx.Done():
				tell(log, daemon.SdNotifyStopping)
				return
			case <-s.hangups:
				if reload != nil {
					reload()
				}
				log.Info("SIGHUP: looked at the TLS certificate and DATABASE_URL_FILE again; other settings need a restart")
			}
		}
	}()
}

// stopped is called when the server has ended.
func (s *service) stopped() {
	if s.end != nil {
		s.end()
	}
}

func tell(log *slog.Logger, state string) {
	if _, err := daemon.SdNotify(false, state); err != nil {
		log.Warn("could not tell the service manager", "state", state, "error", err)
	}
}
