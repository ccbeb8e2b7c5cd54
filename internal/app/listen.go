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

// serving listens on LISTEN, over TLS where TLS_CERT_FILE says so.
func serving(ctx context.Context, cfg config.Config, log *slog.Logger) (net.Listener, error) {
	var pair *keypair.Pair
	if cfg.TLSCertFile != "" {
		var err error
		if pair, err = keypair.Open(cfg.TLSCertFile, cfg.TLSKeyFile, log); err != nil {
			return nil, fmt.Errorf("TLS_CERT_FILE, TLS_KEY_FILE: %w", err)
		}
	}
	ln, err := listen(ctx, cfg.Listen)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w (is another server running? choose another address with --listen)", cfg.Listen, err)
	}
	if pair == nil {
		return ln, nil
	}
	if u, err := url.Parse(cfg.SiteURL); err == nil && u.Hostname() != "" && pair.Leaf().VerifyHostname(u.Hostname()) != nil {
		log.Warn("the certificate of TLS_CERT_FILE is not for the host of SITE_URL; browsers will refuse it, unless a proxy in front has another",
			"site_url", cfg.SiteURL)
	}
	return tls.NewListener(ln, pair.Config()), nil
}

func listen(ctx context.Context, addr string) (net.Listener, error) {
	var c net.ListenConfig
	return c.Listen(ctx, "tcp", addr)
}

// stopping is how a server ends: it says so to whoever asks whether it is
// ready, before anything else.
func stopping(cfg config.Config, server *httpapi.Server) httpapi.Stop {
	return httpapi.Stop{Announce: server.Drain, Delay: cfg.DrainDelay, Limit: cfg.ShutdownTimeout}
}

// defaultSiteURL is where a browser on this machine finds the server.
func defaultSiteURL(cfg config.Config, a net.Addr) string {
	site := cfg.Scheme() + "://localhost"
	if _, port, err := net.SplitHostPort(a.String()); err == nil {
		site += ":" + port
	}
	return site
}

// remark says what a SITE_URL means that nobody would notice before it hurts.
func remark(log *slog.Logger, site string) {
	switch {
	case loopback.Site(site):
		log.Warn("SITE_URL is this machine alone, and every certificate carries it for good: whoever checks one elsewhere finds no CRL. "+
			"Set SITE_URL before the first certificate that counts", "site_url", site)
	case !strings.HasPrefix(site, "https://"):
		log.Warn("SITE_URL is plain http on another host than localhost: passwords and sessions travel unprotected, and browsers let such a "+
			"page neither encrypt nor reach the agent nor stay signed in. Give it https, by a proxy in front or by TLS_CERT_FILE", "site_url", site)
	}
}
