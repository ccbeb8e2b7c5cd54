package main

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/coreos/go-systemd/v22/daemon"
)

// hangups takes SIGHUP, which ends any other program, from now on. A server reads
// anew what it can; it never ends by it, nor by the terminal that goes away.
func hangups() chan os.Signal {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGHUP)
	return c
}

// ready tells a service manager that requests are answered, and that they end
// when ctx does (sd_notify), and calls reload, when not nil, at each hangup.
func ready(ctx context.Context, log *slog.Logger, hangups <-chan os.Signal, reload func()) {
	tell(log, daemon.SdNotifyReady)
	context.AfterFunc(ctx, func() { tell(log, daemon.SdNotifyStopping) })
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-hangups:
				if reload != nil {
					reload()
				}
				log.Info("SIGHUP: certificates and secret files are looked at again; other settings need a restart")
			}
		}
	}()
}

func tell(log *slog.Logger, state string) {
	if _, err := daemon.SdNotify(false, state); err != nil {
		log.Warn("could not tell the service manager", "state", state, "error", err)
	}
}
