// Package server runs the whole service inside a test, wired as the command wires it,
// and uses it only over HTTP.
package server

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"maps"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/keyward/keyward/internal/app"
	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/host"
	"github.com/keyward/keyward/test/vaultserver"
)

// Password is that of the account admin.
const Password = "qz a usual passphrase"

// Settings, by name, override those of test servers, which have no rate limits.
type Settings map[string]string

// Start runs a server on a data directory until the test ends, and returns its base
// address.
func Start(t *testing.T, data string, more Settings) (base string) {
	t.Helper()
	base, _ = Run(t, data, more, slog.DiscardHandler)
	return base
}

// Run is Start with a log, and a stop that may be called earlier.
func Run(t *testing.T, data string, more Settings, log slog.Handler) (base string, stop func()) {
	t.Helper()
	return part(t, config.Serve, data, more, func(ctx context.Context, cfg config.Config, ready func(string)) error {
		return app.Run(ctx, "test", cfg, slog.New(log), io.Discard, func(a app.Addrs) { ready(a.API) })
	})
}

// Backend is Start for only the API, at its own address, with a stop.
func Backend(t *testing.T, data string, more Settings) (base string, stop func()) {
	t.Helper()
	return part(t, config.Backend, data, more, func(ctx context.Context, cfg config.Config, ready func(string)) error {
		return app.RunBackend(ctx, "test", cfg, slog.New(slog.DiscardHandler), io.Discard, func(a app.Addrs) { ready(a.API) })
	})
}

// Frontend runs only the pages until the test ends.
func Frontend(t *testing.T, more Settings) (base string) {
	t.Helper()
	base, _ = part(t, config.Frontend, "", more, func(ctx context.Context, cfg config.Config, ready func(string)) error {
		return app.RunFrontend(ctx, "test", cfg, slog.New(slog.DiscardHandler), ready)
	})
	return base
}

func part(
	t *testing.T, which config.Part, data string, more Settings, run func(context.Context, config.Config, func(address string)) error,
) (base string, stop func()) {
	t.Helper()
	environment := Settings{
		"KEYWARD_ADMIN_PASSWORD": Password, "PKI_CA_KEY_TYPE": "ec-p256", "RELEASE_LIMIT_PER_HOUR": "10000", "METRICS_LISTEN": "off",
		"RATE_LIMIT_SESSION": "off", "RATE_LIMIT_ANONYMOUS": "off", "RATE_LIMIT_LOGIN": "off",
	}
	onMounts := data != "" && vaultserver.Wanted(t) && more["VAULT_ADDR"] == ""
	if onMounts {
		maps.Copy(environment, vaultserver.ForData(t, data))
	}
	maps.Copy(environment, more)
	listen := "127.0.0.1"
	if which == config.Backend {
		listen = host.Address() // its port stays free when it has stopped
	}
	args := []string{"--listen", net.JoinHostPort(listen, "0")}
	if data != "" {
		args = append(args, "--data", data)
		if environment["DATABASE_URL"] == "" {
			environment["DATABASE_URL"] = engine.Database(t, data)
		}
	}
	cfg, err := config.LoadFor(which, args, func(name string) string { return environment[name] })
	if err != nil {
		t.Fatal(err)
	}
	cfg.Argon2MemoryMiB, cfg.Argon2Passes = 1, 1 // less than LoadFor allows: sign-ins are many
	ctx, cancel := context.WithCancel(context.Background())
	ready, done := make(chan string, 1), make(chan error, 1)
	go func() { done <- run(ctx, cfg, func(address string) { ready <- address }) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the server: %v", err)
		}
	})
	t.Cleanup(stop)
	select {
	case address := <-ready:
		base = cfg.Scheme() + "://" + address
		if onMounts {
			vaultserver.Site(t, data, cmp.Or(cfg.SiteURL, strings.Replace(base, "127.0.0.1", "localhost", 1)))
		}
		return base, stop
	case err := <-done:
		done <- err
		t.Fatal("the server did not start")
		return "", nil
	}
}
