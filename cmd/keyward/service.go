package main

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/coreos/go-systemd/v22/daemon"
)

// service is a server's connection to its service manager (sd_notify).
type service struct {
	hangups chan os.Signal
	end     func() // waits until the manager is notified of the end; nil before ready
}

// newService handles SIGHUP, which ends other programs, from now on. A server rereads
// what it can; neither the signal nor a closed terminal ends it.
func newService() *service {
	s := &service{hangups: make(chan os.Signal, 1)}
	signal.Notify(s.hangups, syscall.SIGHUP)
	return s
}

// ready notifies the manager that requests are answered, as long as they are, and when
// ctx ends, that the server is stopping. It calls reload, if not nil, at each SIGHUP.
func (s *service) ready(ctx context.Context, log *slog.Logger, own self, reload func()) {
	ctx, cancel := context.WithCancel(ctx)
	told, watched := make(chan struct{}), make(chan struct{})
	s.end = func() { cancel(); <-told; <-watched }
	tell(log, daemon.SdNotifyReady)
	go func() {
		defer close(watched)
		watch(ctx, log, own)
	}()
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

// stopped must be called when the server has ended.
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
