// Package remote calls a license service over HTTP (api/license.yaml). Each call has a short
// timeout. After several calls in a row without a usable answer, a circuit breaker refuses
// calls at once, and lets one through every few seconds as a probe. So a service that is
// dead, slow or broken costs its callers no more than a moment.
package remote

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/sony/gobreaker/v2"

	"github.com/keyward/keyward/internal/license"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/tracing"
)

// Timeouts of calls, when the breaker opens and for how long, and how much of an answer
// is read.
const (
	askTimeout    = time.Second     // for reads
	changeTimeout = 5 * time.Second // an upload or removal: a person waits for it
	failures      = 2               // in a row
	openFor       = 5 * time.Second
	maxAnswer     = 1 << 20 // bytes
)

// Options is what a Client needs.
type Options struct {
	URL string // of the service, without a path
	// Token is read for each call, to authenticate with: its last line. Nil: only the TLS certificate.
	Token func() (secret.String, error)
	TLS   *tls.Config // nil: the system's roots, no certificate
	Log   *slog.Logger

	transport http.RoundTripper // for tests; nil: the network
	patience  time.Duration     // for tests, the timeout of any call; zero: the constants
}

// Client implements license.Port.
type Client struct {
	base    *url.URL
	token   func() (secret.String, error)
	client  *http.Client
	breaker *gobreaker.CircuitBreaker[reply]

	patience time.Duration
}

var _ license.Port = (*Client)(nil)

// ErrUnreachable: the service gave no usable answer, or was not called because it gave
// none before. Whether an upload or a removal took effect is then unknown.
var ErrUnreachable = errors.New("the license service does not answer")

// New makes a client. It calls nothing yet.
func New(o Options) (*Client, error) {
	base, err := url.Parse(o.URL)
	if err != nil || base.Host == "" {
		return nil, errors.New("the address of the license service is no URL")
	}
	c := &Client{base: base, token: o.Token, patience: o.patience}
	transport := o.transport
	if transport == nil {
		t := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // it is one
		t.Proxy, t.TLSClientConfig = nil, o.TLS              // the service is internal
		t.MaxIdleConnsPerHost = 8
		transport = t
	}
	c.client = &http.Client{
		Transport:     tracing.Transport{Next: transport, To: "license service", Ours: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // the token is for this host only
	}
	c.breaker = gobreaker.NewCircuitBreaker[reply](gobreaker.Settings{
		Name: "license service", Timeout: openFor,
		ReadyToTrip:  func(n gobreaker.Counts) bool { return n.ConsecutiveFailures >= failures },
		IsSuccessful: func(err error) bool { return err == nil },
		IsExcluded:   func(err error) bool { return errors.Is(err, errCaller) },
		OnStateChange: func(_ string, from, to gobreaker.State) {
			o.Log.Debug("the license service's circuit breaker", "from", from.String(), "to", to.String())
		},
	})
	return c, nil
}

// Close closes idle connections.
func (c *Client) Close() { c.client.CloseIdleConnections() }

// reply is a usable answer.
type reply struct {
	status  int
	body    []byte
	refused error // the service's refusal
}

// errCaller: the caller has left, which says nothing about the service.
var errCaller = errors.New("the caller is gone")

// call calls the service, and decodes the body of a 200 into out.
func call[T any](ctx context.Context, c *Client, timeout time.Duration, method, path string, body []byte, out *T) error {
	r, err := c.breaker.Execute(func() (reply, error) {
		r, err := c.send(ctx, timeout, method, path, body)
		switch {
		case err != nil:
		case r.status != http.StatusOK:
			r.refused, err = refusal(r)
		case json.Unmarshal(r.body, out) != nil:
			err = errNonsense
		}
		if err != nil && ctx.Err() != nil {
			err = errors.Join(errCaller, ctx.Err())
		}
		return r, err
	})
	switch {
	case errors.Is(err, errCaller):
		return err
	case err != nil:
		return fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	return r.refused
}

func (c *Client) send(ctx context.Context, timeout time.Duration, method, path string, body []byte) (reply, error) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(c.patience, timeout))
	defer cancel()
	u, err := c.base.Parse(path)
	if err != nil {
		return reply{}, err
	}
	req, err := http.NewRequestWithContext(ctx, method, u.String(), bytes.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.token != nil {
		text, err := c.token()
		if err != nil {
			return reply{}, err
		}
		if all := text.Lines(); len(all) > 0 {
			req.Header.Set("Authorization", "Bearer "+all[len(all)-1].Reveal())
		}
	}
	res, err := c.client.Do(req)
	if err != nil {
		return reply{}, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	r := reply{status: res.StatusCode, body: text}
	switch {
	case err != nil:
		return r, err
	case len(text) > maxAnswer:
		return r, errors.New("its answer is too long")
	case r.status == http.StatusOK, r.status == http.StatusNotFound, r.status == http.StatusConflict,
		r.status == http.StatusUnprocessableEntity:
		return r, nil
	case r.status == http.StatusUnauthorized:
		return r, errors.New("it refuses the backend: give both the same LICENSE_SERVICE_TOKEN")
	}
	return r, fmt.Errorf("it answers with status %d", r.status)
}
