package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"runtime/debug"

	"github.com/keyward/keyward/internal/app"
	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/logging"
)

// serve runs the whole server until ctx ends, and backend the API alone. The
// log goes to standard error; standard output gets what a person must see once.
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
	cfg, err := config.LoadFor(part, args, std.Getenv)
	if errors.Is(err, flag.ErrHelp) {
		config.Usage(std.Stdout, part)
		return nil
	}
	if err != nil {
		return &UsageError{err.Error()}
	}
	log := logging.New(std.Stderr, cfg.LogLevel, cfg.LogFormat)
	// The live heap of a small installation is a few megabytes, so that the
	// collector would run dozens of times a second under load. This much is
	// counted as live but never touched, so it costs address space alone; a
	// fifth of the time per request goes with it.
	ballast := make([]byte, 64<<20)
	defer runtime.KeepAlive(ballast)
	if std.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit(cfg))
	}
	if err := run(ctx, version, cfg, log, std.Stdout, nil); err != nil {
		return fmt.Errorf("%s: %w", part, err)
	}
	return nil
}

// memoryLimit is where the collector begins to work harder, in bytes: 256 MiB,
// the ballast among them, and the password hashes that may be computed at
// once. Without it 500 sign-ins at the same moment take a third more,
// since a hash leaves 64 MiB behind that nobody has collected yet. It is no
// bound: what is in use is never refused.
func memoryLimit(cfg config.Config) int64 {
	return int64(256+cfg.Argon2Concurrency*cfg.Argon2MemoryMiB) << 20
}
