// Package outbound posts webhook messages to receivers chosen by others: it
// trusts neither their names nor their answers. HTTPS only, TLS 1.2 or later,
// no proxy, no redirects, a new connection for each message, and a check of the
// resolved address right before dialling it, so that no second DNS answer can
// intervene (DNS rebinding).
package outbound

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"

	"github.com/keyward/keyward/internal/textinput"
	"github.com/keyward/keyward/internal/webhook"
)

// Limits of an attempt.
const (
	timeout        = 10 * time.Second // in total: name, connection, handshake, answer
	maxHeader      = 64 << 10
	maxBody        = 64 << 10 // of the answer; the rest is not read
	closingTimeout = time.Second
	userAgent      = "Keyward-Webhook/1"
)

// Options configure a client. The zero value reaches only the public internet
// and trusts the system's roots.
type Options struct {
	Allowed  webhook.Networks // reachable although not public
	CAFile   string           // PEM: roots in addition to the system's; empty: none
	Timeout  time.Duration    // of an attempt; zero: 10 s
	Resolver *net.Resolver    // nil: the system's
}

// Client implements webhook.Transport.
type Client struct {
	transport *http.Transport
	timeout   time.Duration
}

// New returns a client. Its error is about CAFile.
func New(o Options) (*Client, error) {
	roots, err := loadRoots(o.CAFile)
	if err != nil {
		return nil, err
	}
	if o.Timeout == 0 {
		o.Timeout = timeout
	}
	dialer := &net.Dialer{Timeout: o.Timeout, Resolver: o.Resolver, ControlContext: control(o.Allowed)}
	http1 := new(http.Protocols)
	http1.SetHTTP1(true)
	return &Client{timeout: o.Timeout, transport: &http.Transport{
		Proxy:                  nil, // ignore the environment: a proxy would dial for us, unchecked
		DialContext:            dialer.DialContext,
		TLSClientConfig:        &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    o.Timeout,
		DisableKeepAlives:      true,
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxHeader,
		Protocols:              http1,
	}}, nil
}

func loadRoots(path string) (*x509.CertPool, error) {
	if path == "" {
		return nil, nil // the system's
	}
	roots, err := textinput.MoreRoots(path)
	if err != nil {
		return nil, fmt.Errorf("WEBHOOK_CA_FILE: %w", err)
	}
	return roots, nil
}

// control checks an address after the name is resolved and before anything is sent to it.
func control(allowed webhook.Networks) func(context.Context, string, string, syscall.RawConn) error {
	return func(_ context.Context, network, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil || network != "tcp4" && network != "tcp6" {
			return webhook.ErrAddress
		}
		return allowed.Check(to.Addr())
	}
}

// Post implements webhook.Transport. It bypasses http.Client, which would
// follow redirects and keep cookies.
func (c *Client) Post(ctx context.Context, r webhook.Request) (int, webhook.Class) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.URL, bytes.NewReader(r.Body))
	if err != nil || req.URL.Scheme != "https" {
		return 0, webhook.URLInvalid
	}
	req.GetBody = nil // sent once; the sender decides about retries
	req.Header = r.Header.Clone()
	req.Header.Set("User-Agent", userAgent)
	res, err := c.transport.RoundTrip(req)
	if err != nil {
		return 0, classify(ctx, err)
	}
	// Only the status matters. The rest is read briefly, so that the receiver
	// can finish its answer.
	stop := time.AfterFunc(min(closingTimeout, c.timeout), cancel)
	defer stop.Stop()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, maxBody))
	_ = res.Body.Close()
	return res.StatusCode, ""
}

// classify says what went wrong, without the error's text: it may contain what
// the receiver sent.
func classify(ctx context.Context, err error) webhook.Class {
	var dns *net.DNSError
	var op *net.OpError
	switch {
	case errors.Is(err, webhook.ErrAddress):
		return webhook.AddressRefused
	case ctx.Err() != nil, isTimeout(err):
		return webhook.TimedOut
	case errors.As(err, &dns):
		return webhook.NameNotResolved
	case isTLS(err):
		return webhook.TLSFailed
	case errors.As(err, &op) && op.Op == "dial":
		return webhook.ConnectFailed
	default:
		return webhook.ConnectionLost
	}
}

func isTimeout(err error) bool {
	var t net.Error
	return errors.As(err, &t) && t.Timeout()
}

func isTLS(err error) bool {
	var (
		verify *tls.CertificateVerificationError
		header tls.RecordHeaderError
		alert  tls.AlertError
		op     *net.OpError
	)
	return errors.As(err, &verify) || errors.As(err, &header) || errors.As(err, &alert) ||
		errors.As(err, &op) && (op.Op == "remote error" || op.Op == "local error")
}
