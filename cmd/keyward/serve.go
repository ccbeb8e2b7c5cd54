package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"runtime"

	"github.com/keyward/keyward/internal/app"
	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/logging"
)

// serve runs the whole server until ctx ends, and backend only the API. The log goes to
// standard error; standard output gets what a person must see once.
func serve(ctx context.Context, args []string, std IO) error {
	return runServer(ctx, config.Serve, app.Run, args, std)
}

func backend(ctx context.Context, args []string, std IO) error {
	return runServer(ctx, config.Backend, app.RunBackend, args, std)
}

type serverRun func(
	ctx context.Context, version string, cfg config.Config, log *slog.Logger, stdout io.Writer, ready func(app.Addrs),
) error

func runServer(ctx context.Context, part config.Part, run serverRun, args []string, std IO) error {
	manager := newService()
	defer manager.stopped()
	cfg, err := config.LoadFor(part, args, std.Getenv)
	if err != nil {
		return usagef("%v", err)
	}
	log := logging.New(std.Stderr, cfg.LogLevel, cfg.LogFormat)
	ballast := withinMemory(&cfg, std.Getenv("GOMEMLIMIT") != "", log)
	defer runtime.KeepAlive(ballast)
	err = run(ctx, version, cfg, log, std.Stdout, func(a app.Addrs) {
		manager.ready(ctx, log, self{a.API, cfg.TLSCertFile != ""}, a.Reload)
	})
	if err != nil {
		return fmt.Errorf("%s: %w", part, err)
	}
	return nil
}
