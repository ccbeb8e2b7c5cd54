package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
)

// watch tells the manager that the server is alive, until ctx ends, if the manager
// wants to know (WatchdogSec=). It asks the server itself for /livez, on a new
// connection each time: one that accepts or answers nothing is restarted.
func watch(ctx context.Context, log *slog.Logger, own self) {
	limit, err := daemon.SdWatchdogEnabled(false)
	if err != nil {
		log.WarnContext(ctx, "could not read what the service manager's watchdog expects", "error", err)
	}
	if limit <= 0 {
		return
	}
	// A second attempt fits in, even if the first one takes its whole time.
	every := time.NewTicker(limit / 3)
	defer every.Stop()
	for {
		if err := own.answers(ctx, limit/3); err == nil {
			tell(log, daemon.SdNotifyWatchdog)
		} else if ctx.Err() == nil {
			log.WarnContext(ctx, "the server doesn't answer itself; the service manager will restart it if that doesn't change", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
	}
}

// answers asks the server for /livez. Any response will do: the license service has no
// such address.
func (s self) answers(ctx context.Context, within time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	base, client := s.client()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/livez", nil)
	if err != nil {
		return err
	}
	res, err := client.Do(req)
	if err != nil {
		// A server that wants a client's certificate says so: an answer, too.
		if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "remote error" {
			return nil
		}
		return err
	}
	return res.Body.Close()
}
