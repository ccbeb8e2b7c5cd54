package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/pprof"
	"slices"

	"github.com/keyward/keyward/internal/app"
	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/logging"
)

// settings of every server: what one client may do in a minute is no matter
// here; everything else is the default, the access log too.
var settings = []string{
	"RATE_LIMIT_SESSION=off", "RATE_LIMIT_ANONYMOUS=off", "RATE_LIMIT_LOGIN=off", "RATE_LIMIT_OPEN=off",
	"METRICS_LISTEN=off", "SITE_URL=" + siteURL,
}

const siteURL = "http://localhost:8080"

// quiet turns the access log off.
const quiet = "ACCESS_LOG=false"

// serve starts the server on a data directory and returns when it has
// answered a first request.
func (b *bench) serve(ctx context.Context, data string, env ...string) (*process, error) {
	name, args := filepath.Join(b.bin, "keyward"), []string{"serve"}
	if b.profile != "" {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		name, args = self, []string{"profiled", filepath.Join(b.profile, filepath.Base(data))}
	}
	p, err := b.spawn(ctx, nil, slices.Concat(settings, env, b.env), name, append(args, "--data", data, "--listen", "127.0.0.1:0")...)
	if err != nil {
		return nil, err
	}
	if err := p.await(ctx, p.listening("keyward is ready", `"listen":"`)); err != nil {
		return nil, err
	}
	return p, answers(ctx, p.url("/health"))
}

func (p *process) url(path string) string { return "http://" + p.addr + path }

// serveProfiled is bin/keyward serve with a CPU profile from when it answers
// to its end, and then one of what was allocated. The product itself has no
// such switch.
func serveProfiled(ctx context.Context, file string, args []string) error {
	cfg, err := config.Load(args, os.Getenv)
	if err != nil {
		return err
	}
	f, err := os.Create(file + ".cpu")
	if err != nil {
		return err
	}
	defer f.Close()
	log := logging.New(os.Stderr, slog.LevelInfo, cfg.LogFormat)
	var started error
	err = app.Run(ctx, "profiled", cfg, log, os.Stdout, func(app.Addrs) { started = pprof.StartCPUProfile(f) })
	pprof.StopCPUProfile()
	if err != nil {
		return err
	}
	if started != nil {
		return fmt.Errorf("profile: %w", started)
	}
	allocated, err := os.Create(file + ".allocs")
	if err != nil {
		return err
	}
	defer allocated.Close()
	return errors.Join(pprof.Lookup("allocs").WriteTo(allocated, 0), f.Sync())
}
