package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"github.com/keyward/keyward/internal/loopback"
	"github.com/keyward/keyward/internal/secret"
)

const (
	maxAnswer       = 8 << 20
	defaultAttempts = 4
	firstPause      = 200 * time.Millisecond
	maxPause        = 10 * time.Second // a longer Retry-After is left to the user
)

// caller sends requests to one peer.
type caller struct {
	peer      string
	base      *url.URL
	http      *http.Client
	userAgent string
	attempts  int
	pause     func(ctx context.Context, d time.Duration) error
}

// request is one call.
type request struct {
	method     string
	path       string // escaped
	query      url.Values
	body       any // marshalled as JSON; nil for none
	bearer     secret.String
	timeout    time.Duration
	repeatable bool
}

// newCaller validates an address. It refuses plain HTTP to another machine unless
// allowHTTP, since passwords travel on it.
func newCaller(peer, address string, allowHTTP bool, userAgent string) (*caller, error) {
	u, err := url.Parse(strings.TrimSuffix(address, "/"))
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, fmt.Errorf("the %s's address must be a URL such as https://keyward.example.org", peer)
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("the %s's address must have no user, query or fragment", peer)
	}
	if u.Scheme == "http" && !allowHTTP && !loopback.Host(u.Hostname()) {
		return nil, fmt.Errorf("the %s's address is plain http to another computer, so passwords can be read on the way; use https", peer)
	}
	return &caller{
		peer: peer, base: u, userAgent: userAgent, attempts: defaultAttempts, pause: sleep,
		http: &http.Client{
			Transport: &http.Transport{
				Proxy:               http.ProxyFromEnvironment,
				DialContext:         (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
				TLSHandshakeTimeout: 10 * time.Second,
				IdleConnTimeout:     30 * time.Second,
				ForceAttemptHTTP2:   true,
			},
			// A redirect could send a token elsewhere, or turn a POST into a GET.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// do sends a request, repeats it where that is safe, and decodes the response into out
// (nil to ignore it).
func (c *caller) do(ctx context.Context, r request, out any) error {
	var body []byte
	if r.body != nil {
		var err error
		if body, err = encode(r.body); err != nil {
			return fmt.Errorf("encode the request: %w", err)
		}
	}
	pause, sent := firstPause, false
	for attempt := 1; ; attempt++ {
		err := c.once(ctx, r, body, out)
		u, silent := errors.AsType[*Unreachable](err)
		if sent = sent || !silent || !u.Unsent; silent {
			u.Unsent = !sent
		}
		wait, again := repeat(err, pause)
		if !again || !r.repeatable || attempt >= c.attempts || ctx.Err() != nil {
			return err
		}
		if c.pause(ctx, wait) != nil {
			return err
		}
		pause *= 2
	}
}

// encode marshals a request's body. It alone reveals secrets: this is where they must
// go.
func encode(body any) ([]byte, error) {
	reveal := jsonv2.MarshalToFunc(func(e *jsontext.Encoder, s secret.String) error { return e.WriteToken(jsontext.String(s.Reveal())) })
	return jsonv2.Marshal(body, jsonv1.OmitEmptyWithLegacySemantics(true), jsonv2.WithMarshalers(reveal))
}

// repeat reports whether an error is worth another attempt, and after how long.
func repeat(err error, pause time.Duration) (time.Duration, bool) {
	if _, ok := errors.AsType[*Unreachable](err); ok {
		return pause/2 + rand.N(pause), true // #nosec G404 -- spreads clients, guards nothing
	}
	e, ok := errors.AsType[*Error](err)
	if !ok || (e.Status != http.StatusServiceUnavailable && e.Status != http.StatusTooManyRequests) {
		return 0, false
	}
	wait := e.Fault.RetryAfter
	return wait, wait > 0 && wait <= maxPause
}

// once sends one request. A change that was sent is awaited even when ctx ends: its
// outcome is worth the wait.
func (c *caller) once(ctx context.Context, r request, body []byte, out any) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if r.method != http.MethodGet {
		ctx = context.WithoutCancel(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	address := c.base.String() + r.path
	if len(r.query) > 0 {
		address += "?" + r.query.Encode()
	}
	var reader io.Reader
	if r.body != nil {
		reader = bytes.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, r.method, address, reader)
	if err != nil {
		return fmt.Errorf("make the request: %w", err)
	}
	req.Header.Set("User-Agent", c.userAgent)
	req.Header.Set("Accept", "application/json, application/problem+json")
	if r.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if !r.bearer.Empty() {
		req.Header.Set("Authorization", "Bearer "+r.bearer.Reveal())
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return &Unreachable{Peer: c.peer, Base: c.base.String(), Err: plain(err), Unsent: unconnected(err)}
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return &Unreachable{Peer: c.peer, Base: c.base.String(), Err: plain(err)}
	}
	return c.read(resp, raw, out)
}

// unconnected reports whether no connection was established, so that nothing was sent.
func unconnected(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && (op.Op == "dial" || op.Op == "proxyconnect")
}

// plain drops the method and address that net/http puts before an error: the query may
// hold a reason that a user typed.
func plain(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}

func (c *caller) read(resp *http.Response, raw []byte, out any) error {
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return decodeError(resp.StatusCode, resp.Header, raw)
	}
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if media == "text/html" { // never Keyward's, also if nobody wants to read it
		return fmt.Errorf("a web page answered in place of the %s at %s, perhaps the sign-in page of a network or proxy; "+
			"open the address in a browser, then try again", c.peer, c.base)
	}
	if out == nil || resp.StatusCode == http.StatusNoContent {
		return nil
	}
	if media != "application/json" || len(raw) > maxAnswer {
		return fmt.Errorf("the %s at %s does not answer as Keyward does; check the address", c.peer, c.base)
	}
	if err := json.Unmarshal(raw, out); err != nil {
		return fmt.Errorf("the %s's answer can't be read; its version may not fit this program", c.peer)
	}
	return nil
}

// decodeNumbers decodes without converting numbers to float64.
func decodeNumbers(raw []byte, out any) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	return dec.Decode(out)
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
