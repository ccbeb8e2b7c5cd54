package app

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strings"

	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/httpapi"
	"github.com/keyward/keyward/internal/keypair"
	"github.com/keyward/keyward/internal/loopback"
)

// entrance holds the listeners. Once a server listens, the kernel accepts connections
// and a balancer sends it requests, so it listens only when it can answer.
type entrance struct {
	cfg  config.Config
	log  *slog.Logger
	pair *keypair.Pair // nil: no TLS

	api, metrics net.Listener // nil before listen; metrics also when it is off
}

// newEntrance reads the certificate's files. It does not listen yet.
func newEntrance(cfg config.Config, log *slog.Logger) (*entrance, error) {
	e := &entrance{cfg: cfg, log: log}
	if cfg.TLSCertFile != "" {
		var err error
		if e.pair, err = keypair.Open(cfg.TLSCertFile, cfg.TLSKeyFile, log); err != nil {
			return nil, fmt.Errorf("TLS_CERT_FILE, TLS_KEY_FILE: %w", err)
		}
	}
	return e, nil
}

// listen listens on LISTEN, with TLS if TLS_CERT_FILE is set. A second call does
// nothing.
func (e *entrance) listen(ctx context.Context) error {
	if e.api != nil {
		return nil
	}
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", e.cfg.Listen)
	if err != nil {
		return fmt.Errorf("listen on %s: %w (is another server running? choose another address with --listen)", e.cfg.Listen, err)
	}
	e.api = ln
	if e.pair == nil {
		return nil
	}
	if u, err := url.Parse(e.cfg.SiteURL); err == nil && u.Hostname() != "" && e.pair.Leaf().VerifyHostname(u.Hostname()) != nil {
		e.log.Warn("the certificate in TLS_CERT_FILE is not for the host of SITE_URL; browsers reject it unless a proxy in front uses another",
			"site_url", e.cfg.SiteURL)
	}
	e.api = tls.NewListener(ln, e.pair.Config())
	return nil
}

// listenMetrics listens on METRICS_LISTEN, unless it is off.
func (e *entrance) listenMetrics(ctx context.Context) error {
	addr := e.cfg.MetricsListen
	if addr == "" || addr == "off" {
		return nil
	}
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return fmt.Errorf("listen for metrics on %s: %w (choose another address with METRICS_LISTEN, or off)", addr, err)
	}
	e.metrics = ln
	return nil
}

// close closes the listeners that are still open.
func (e *entrance) close() {
	for _, ln := range []net.Listener{e.api, e.metrics} {
		if ln != nil {
			_ = ln.Close() // Serve usually has closed it
		}
	}
}

// reload rereads the certificate now instead of at the next connection, and calls
// others, which rereads the rest.
func (e *entrance) reload(others func() error) {
	if e.pair != nil {
		_ = e.pair.Leaf() // a failure is logged
	}
	if err := others(); err != nil {
		e.log.Error("cannot read the database's user and password anew; keeping the previous ones", "error", err)
	}
}

// stopping returns how a server ends: it first answers readiness checks with no.
func stopping(cfg config.Config, server *httpapi.Server) httpapi.Stop {
	return httpapi.Stop{Announce: server.Drain, Delay: cfg.DrainDelay, Limit: cfg.ShutdownTimeout}
}

// defaultSiteURL is the server's address for a browser on this machine.
func defaultSiteURL(cfg config.Config, a net.Addr) string {
	site := cfg.Scheme() + "://localhost"
	if _, port, err := net.SplitHostPort(a.String()); err == nil {
		site += ":" + port
	}
	return site
}

// remark logs consequences of SITE_URL that would otherwise show up too late.
// certificates is the base of the URLs in certificates; empty: none are issued here.
func remark(log *slog.Logger, site, certificates string) {
	switch {
	case certificates != site && loopback.Site(certificates):
		log.Warn("PKI_BASE_URL works only on this computer, and certificates carry it permanently: a check elsewhere finds no CRL. "+
			"Change it before you issue the first real certificate", "pki_base_url", certificates)
	case certificates == site && loopback.Site(site):
		log.Warn("SITE_URL works only on this computer, and certificates carry it permanently: a check elsewhere finds no CRL. "+
			"Set SITE_URL before you issue the first real certificate", "site_url", site)
	case !strings.HasPrefix(site, "https://") && !loopback.Site(site):
		log.Warn("SITE_URL is plain http on a host other than localhost: passwords and sessions are sent unencrypted, and browsers don't let "+
			"such a page encrypt, reach the agent or stay signed in. Use https, through a proxy in front or with TLS_CERT_FILE", "site_url", site)
	case strings.HasPrefix(certificates, "https://"):
		log.Info("certificates name their revocation list at an https address, where OpenSSL, NSS, Java and others fetch none: "+
			"set PKI_BASE_URL to an http address before you issue the first certificate", "pki_base_url", certificates)
	}
}
