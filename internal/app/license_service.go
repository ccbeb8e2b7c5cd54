package app

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"time"

	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/httpapi"
	"github.com/keyward/keyward/internal/keypair"
	"github.com/keyward/keyward/internal/license"
	"github.com/keyward/keyward/internal/license/remote"
	"github.com/keyward/keyward/internal/license/server"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/textinput"
)

// RunLicense serves only the license until ctx ends, and returns nil after an orderly
// stop. ready, when not nil, is called as soon as requests are answered.
func RunLicense(ctx context.Context, version string, cfg config.Config, log *slog.Logger, ready func(address string)) (err error) {
	if cfg.LicenseServiceToken.Empty() && cfg.LicenseClientCAFile == "" {
		return errors.New("the license service only answers backends: set LICENSE_SERVICE_TOKEN, the same as theirs, or " +
			"LICENSE_CLIENT_CA_FILE")
	}
	endTracing, err := startTracing(ctx, version, "keyward-license", cfg, log)
	if err != nil {
		return err
	}
	defer endTracing()
	keys, err := builtInKeys(log)
	if err != nil {
		return err
	}
	if err := ownData(cfg); err != nil {
		return err
	}
	if err := os.MkdirAll(cfg.Data, 0o700); err != nil {
		return fmt.Errorf("data directory: %w", err)
	}
	kv, err := openVault(ctx, cfg, secret.String{}, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, kv.Close()) }()
	ln, err := listenInside(ctx, cfg, log)
	if err != nil {
		return err
	}
	defer func() { _ = ln.Close() }() // Serve usually has closed it
	handler := server.New(server.Options{
		Version: version, Token: serviceToken(cfg), Vault: kv.State, Log: log,
		License: &license.Service{Vault: kv, Keys: keys, Log: log, Now: time.Now},
	})
	log.Info("keyward license is ready", "listen", ln.Addr().String(), "public_keys", len(keys))
	if ready != nil {
		ready(ln.Addr().String())
	}
	return httpapi.Serve(ctx, ln, handler, log, httpapi.Stop{Limit: cfg.ShutdownTimeout})
}

// listenInside listens on LICENSE_LISTEN. Unless the settings say that something else
// restricts access, it accepts only an address of this machine or of a private network.
func listenInside(ctx context.Context, cfg config.Config, log *slog.Logger) (net.Listener, error) {
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", cfg.LicenseListen)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w (choose another address with --listen)", cfg.LicenseListen, err)
	}
	fail := func(err error) (net.Listener, error) { return nil, errors.Join(err, ln.Close()) }
	at, ok := ln.Addr().(*net.TCPAddr)
	inside := ok && (at.IP.IsLoopback() || at.IP.IsPrivate())
	if !inside && !cfg.LicenseListenAnywhere {
		return fail(errors.New("LICENSE_LISTEN is neither on this computer nor private (10.0.0.0/8, 172.16.0.0/12, " +
			"192.168.0.0/16, fc00::/7): choose such an address, or set LICENSE_LISTEN_ANYWHERE=true if a firewall keeps others out"))
	}
	if cfg.TLSCertFile == "" {
		if !ok || !at.IP.IsLoopback() {
			log.Warn("the license service uses plain http on the network, so its token is sent unencrypted: set TLS_CERT_FILE")
		}
		return ln, nil
	}
	pair, err := keypair.Open(cfg.TLSCertFile, cfg.TLSKeyFile, log)
	if err != nil {
		return fail(fmt.Errorf("TLS_CERT_FILE, TLS_KEY_FILE: %w", err))
	}
	conf := pair.Config()
	if cfg.LicenseClientCAFile != "" {
		if conf.ClientCAs, err = roots("LICENSE_CLIENT_CA_FILE", cfg.LicenseClientCAFile); err != nil {
			return fail(err)
		}
		conf.ClientAuth = tls.RequireAndVerifyClientCert
	}
	return tls.NewListener(ln, conf), nil
}

func roots(setting, file string) (*x509.CertPool, error) {
	raw, err := textinput.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", setting, err)
	}
	pool := x509.NewCertPool()
	if !textinput.AddRoots(pool, raw) {
		return nil, fmt.Errorf("%s: it contains no certificate in PEM format", setting)
	}
	return pool, nil
}

// serviceToken reads what backends and license service have in common; nil: nothing.
func serviceToken(cfg config.Config) func() (secret.String, error) {
	if cfg.LicenseServiceToken.Empty() {
		return nil
	}
	return credential(cfg, "LICENSE_SERVICE_TOKEN", cfg.LicenseServiceToken)
}

// RemoteLicense returns the client of LICENSE_SERVICE_URL; nil when that is empty.
func RemoteLicense(cfg config.Config, log *slog.Logger) (license.Port, error) {
	if cfg.LicenseServiceURL == "" {
		return nil, nil //nolint:nilnil // there is none
	}
	conf := &tls.Config{MinVersion: tls.VersionTLS12}
	var err error
	if cfg.LicenseServiceCAFile != "" {
		if conf.RootCAs, err = roots("LICENSE_SERVICE_CA_FILE", cfg.LicenseServiceCAFile); err != nil {
			return nil, err
		}
	}
	if cfg.LicenseServiceCertFile != "" {
		pair, err := keypair.Open(cfg.LicenseServiceCertFile, cfg.LicenseServiceKeyFile, log)
		if err != nil {
			return nil, fmt.Errorf("LICENSE_SERVICE_CERT_FILE, LICENSE_SERVICE_KEY_FILE: %w", err)
		}
		conf.GetClientCertificate = pair.ForClient
	}
	return remote.New(remote.Options{
		URL: cfg.LicenseServiceURL, Token: serviceToken(cfg), TLS: conf, Log: log,
	})
}
