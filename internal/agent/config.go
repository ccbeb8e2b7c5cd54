package agent

import (
	"context"
	"crypto"
	"crypto/ed25519"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/agent/driver"
	"github.com/keyward/keyward/internal/agent/pcsc"
)

// DefaultListen is where pages look for the agent (interface specification).
const DefaultListen = "127.0.0.1:56123"

// Readers reports which readers hold a card; *pcsc.Watcher implements it.
type Readers interface {
	Snapshot() (readers []string, generation uint64, known bool)
	Listen() (events <-chan pcsc.Event, stop func())
	Run(ctx context.Context)
}

// Config configures the agent.
type Config struct {
	// Listen is a loopback address; empty means DefaultListen. Port 0 picks a
	// free port, for tests.
	Listen string
	// Origins of the pages that may use the agent, exactly as browsers send them:
	// scheme, host, and the port unless it is the scheme's default.
	Origins []string
	// Dev also allows every page served from this machine.
	Dev bool
	// AllowPlaintext accepts secrets that are not sealed.
	AllowPlaintext bool
	// Identity is the user's long-lived key, which vouches for the RSA key.
	Identity ed25519.PrivateKey
	// Version is the version that the agent reports.
	Version string
	// Driver drives the tokens.
	Driver driver.Driver
	// Readers notices insertions; nil disables that.
	Readers Readers
	Log     *slog.Logger
	// Ready, if set, is called once with the bound address.
	Ready func(addr string)

	// Key is the RSA key that opens secrets, for tests; nil generates one.
	Key crypto.Decrypter

	queueWait time.Duration // for tests; zero means maxQueueWait
	heartbeat time.Duration // for tests; zero means eventHeartbeat

	bodyTimeout time.Duration // for tests; zero means middleware.BodyTimeout
}

// Validate reports all mistakes at once and normalizes the origins to the form
// that browsers send.
func (c *Config) Validate() error {
	var errs []error
	if c.Listen == "" {
		c.Listen = DefaultListen
	}
	if err := checkListen(c.Listen); err != nil {
		errs = append(errs, err)
	}
	if len(c.Origins) == 0 && !c.Dev {
		errs = append(errs,
			errors.New("no page can use the agent: name your Keyward site with --origin https://…, or use --dev for pages on this computer"))
	}
	for i, o := range c.Origins {
		canonical, err := parseOrigin(o)
		if err != nil {
			errs = append(errs, fmt.Errorf("--origin number %d %w", i+1, err))
		}
		c.Origins[i] = canonical
	}
	if c.Driver == nil {
		errs = append(errs, errors.New("there is no token driver"))
	}
	return errors.Join(errs...)
}

func checkListen(listen string) error {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return errors.New("--listen must be an address and a port, for example " + DefaultListen)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || strconv.FormatUint(n, 10) != port {
		return errors.New("--listen must end in a port from 0 to 65535")
	}
	if addr, err := netip.ParseAddr(host); host != "localhost" && (err != nil || addr != netip.MustParseAddr("127.0.0.1")) {
		return errors.New("--listen must be on 127.0.0.1: the agent serves this workstation only")
	}
	return nil
}

// parseOrigin parses an origin (RFC 6454, section 6.1). Browsers send host names
// in lower case and omit the scheme's default port.
func parseOrigin(s string) (string, error) {
	if strings.ContainsAny(s, "*? \t") {
		return "", errors.New("must be one exact origin, without wildcards")
	}
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return "", errors.New("must look like https://keyward.example.org")
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Path != "" && u.Path != "/" {
		return "", errors.New("must be scheme, host and port only")
	}
	scheme, host, port := strings.ToLower(u.Scheme), strings.ToLower(u.Hostname()), u.Port()
	if host == "" || strings.HasSuffix(u.Host, ":") {
		return "", errors.New("must look like https://keyward.example.org")
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port == "" || scheme == "https" && port == "443" || scheme == "http" && port == "80" {
		return scheme + "://" + host, nil
	}
	return scheme + "://" + host + ":" + port, nil
}
