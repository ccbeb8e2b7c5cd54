package app_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/app"
	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/license"
	"github.com/keyward/keyward/internal/license/remote"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
)

// serviceConfig configures a license service on a vault of its own.
func serviceConfig(t *testing.T) config.Config {
	t.Helper()
	cfg := must.Get(config.LoadFor(config.License, []string{"--listen", "127.0.0.1:0"}, func(string) string { return "" }))(t)
	cfg.Data, cfg.CAKeyType = t.TempDir(), "ec-p256" // fast to generate
	return cfg
}

// serveLicense runs a license service until the test's end.
func serveLicense(t *testing.T, cfg config.Config) (address string) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	ready, done := make(chan string, 1), make(chan error, 1)
	go func() {
		done <- app.RunLicense(ctx, "test", cfg, slog.New(slog.DiscardHandler), func(address string) { ready <- address })
	}()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Errorf("the license service: %v", err)
		}
	})
	select {
	case address = <-ready:
	case err := <-done:
		done <- nil
		t.Fatalf("ended before it was ready: %v", err)
	}
	return address
}

func licenseClient(t *testing.T, o remote.Options) *remote.Client {
	t.Helper()
	o.Log = slog.New(slog.DiscardHandler)
	c := must.Get(remote.New(o))(t)
	t.Cleanup(c.Close)
	return c
}

// statusBy asks for the status as a backend with these settings does.
func statusBy(t *testing.T, cfg config.Config) license.Evaluation {
	t.Helper()
	port := must.Get(app.RemoteLicense(cfg, slog.New(slog.DiscardHandler)))(t)
	ctx := await.Context(t)
	for {
		is, err := port.Status(ctx)
		if !errors.Is(err, remote.ErrUnreachable) || ctx.Err() != nil { // it waits for a second, too short on a busy machine
			must.OK(t, err)
			return is
		}
	}
}

// TestLicenseServiceToken: it answers clients with the token, also after a restart, and
// tells others only that it is there.
func TestLicenseServiceToken(t *testing.T) {
	t.Parallel()
	cfg := serviceConfig(t)
	cfg.LicenseServiceToken = secret.New("a token of many characters")
	url := "http://" + serveLicense(t, cfg)
	for path, want := range map[string]int{
		"/health": 200, "/license/status": 401, "/license/installation-id": 401, "/license/history": 401, "/nowhere": 401, "/": 401,
	} {
		for _, header := range []string{"", "Bearer ", "Bearer a token of many character", "a token of many characters"} {
			req := must.Get(http.NewRequestWithContext(t.Context(), http.MethodGet, url+path, nil))(t)
			if header != "" {
				req.Header.Set("Authorization", header)
			}
			res := must.Get(http.DefaultClient.Do(req))(t)
			body := must.Get(io.ReadAll(res.Body))(t)
			must.OK(t, res.Body.Close())
			if res.StatusCode != want || strings.Contains(string(body), "TRIAL") {
				t.Errorf("%s with %q: %d %s", path, header, res.StatusCode, body)
			}
		}
	}
	if is := statusBy(t, config.Config{LicenseServiceURL: url, LicenseServiceToken: cfg.LicenseServiceToken}); is.Status != license.Trial {
		t.Errorf("%+v", is)
	}
	stranger := licenseClient(t, remote.Options{URL: url, Token: secret.Fixed("another token")})
	if _, err := stranger.Status(t.Context()); !errors.Is(err, remote.ErrUnreachable) {
		t.Errorf("another token: %v", err)
	}
}

// TestLicenseServiceCertificates: with mutual TLS it answers clients with a certificate
// from the right roots.
func TestLicenseServiceCertificates(t *testing.T) {
	t.Parallel()
	cfg, backend := serviceConfig(t), config.Config{}
	server := certified(t, &cfg)
	certified(t, &backend)
	cfg.LicenseClientCAFile = backend.TLSCertFile
	url := "https://" + serveLicense(t, cfg)
	known := filepath.Join(t.TempDir(), "roots.pem")
	must.OK(t, os.WriteFile(known, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Raw}), 0o600))
	is := statusBy(t, config.Config{
		LicenseServiceURL: url, LicenseServiceCAFile: known,
		LicenseServiceCertFile: backend.TLSCertFile, LicenseServiceKeyFile: backend.TLSKeyFile,
	})
	if is.Status != license.Trial {
		t.Errorf("%+v", is)
	}
	pool := x509.NewCertPool()
	pool.AddCert(server)
	ours := must.Get(tls.LoadX509KeyPair(backend.TLSCertFile, backend.TLSKeyFile))(t)
	theirs := must.Get(tls.LoadX509KeyPair(cfg.TLSCertFile, cfg.TLSKeyFile))(t)
	for name, conf := range map[string]*tls.Config{
		"no certificate": {RootCAs: pool},
		"a stranger's":   {RootCAs: pool, Certificates: []tls.Certificate{theirs}},
		"other roots":    {RootCAs: x509.NewCertPool(), Certificates: []tls.Certificate{ours}},
	} {
		conf.MinVersion = tls.VersionTLS12
		if is, err := licenseClient(t, remote.Options{URL: url, TLS: conf}).Status(t.Context()); !errors.Is(err, remote.ErrUnreachable) {
			t.Errorf("%s: %+v, %v", name, is, err)
		}
	}
}

// TestLicenseServiceRefusesToStart if others could ask, or nobody.
func TestLicenseServiceRefusesToStart(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*config.Config)
		want   string
	}{
		"nobody may ask":   {func(c *config.Config) { c.LicenseServiceToken = secret.String{} }, "LICENSE_SERVICE_TOKEN"},
		"everywhere":       {func(c *config.Config) { c.LicenseListen = ":0" }, "LICENSE_LISTEN_ANYWHERE"},
		"no certificate":   {func(c *config.Config) { c.TLSCertFile = "/gone" }, "TLS_CERT_FILE"},
		"no roots":         {func(c *config.Config) { certified(t, c); c.LicenseClientCAFile = "/gone" }, "LICENSE_CLIENT_CA_FILE"},
		"roots of nothing": {func(c *config.Config) { certified(t, c); c.LicenseClientCAFile = c.TLSKeyFile }, "no certificate in PEM"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := serviceConfig(t)
			cfg.LicenseServiceToken = secret.New("a token of many characters")
			c.change(&cfg)
			err := app.RunLicense(t.Context(), "test", cfg, slog.New(slog.DiscardHandler), nil)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "a token of") {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
}
