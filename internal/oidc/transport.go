package oidc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"golang.org/x/oauth2"

	"github.com/keyward/keyward/internal/signon"
)

// Limits of one exchange with the provider.
const (
	callTimeout  = 8 * time.Second
	roundTimeout = 20 * time.Second // for the three calls at the end of a round
	maxAnswer    = 1 << 20
	maxRedirects = 3
)

func newClient() *http.Client {
	transport, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		transport = &http.Transport{Proxy: http.ProxyFromEnvironment}
	}
	transport = transport.Clone()
	transport.MaxResponseHeaderBytes = 64 << 10
	posts := transport.Clone()
	posts.DisableKeepAlives = true
	return &http.Client{Timeout: callTimeout, Transport: capped{transport, posts}, CheckRedirect: stay}
}

// stay follows only a GET within the same origin. Otherwise the caller gets the
// redirect itself as the answer, which is no success.
func stay(r *http.Request, via []*http.Request) error {
	first := via[0]
	if len(via) > maxRedirects || first.Method != http.MethodGet || r.Method != http.MethodGet ||
		r.URL.Scheme != first.URL.Scheme || r.URL.Host != first.URL.Host {
		return http.ErrUseLastResponse
	}
	return nil
}

// capped cuts off oversized answers. A POST, which must not be sent twice, gets
// its own connection: on a kept-alive one it would be lost if the provider had
// just closed that.
type capped struct{ gets, posts http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (c capped) RoundTrip(r *http.Request) (*http.Response, error) {
	next := c.gets
	if r.Method != http.MethodGet {
		next = c.posts
	}
	res, err := next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	res.Body = &body{res.Body, maxAnswer}
	return res, nil
}

// onlyOK turns every answer but 200 and redirects into an error that keeps the status.
type onlyOK struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (o onlyOK) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := o.next.RoundTrip(r)
	if err != nil || res.StatusCode == http.StatusOK || (res.StatusCode >= 300 && res.StatusCode < 400) {
		return res, err
	}
	_ = res.Body.Close()
	return nil, &answered{res}
}

// answered is an answer with a status other than 200.
type answered struct{ *http.Response }

// Error names the status.
func (a *answered) Error() string { return "the answer is " + a.Status }

var errTooLong = errors.New("the answer is too long")

type body struct {
	io.ReadCloser
	left int64
}

// Read fails past the limit: half an answer must not look like a whole one.
func (b *body) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLong
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

// maxError is how much of an error is logged; the library puts whole answers into some.
const maxError = 300

// unavailable and rejected wrap err in their kind.
func unavailable(err error) error { return kind(signon.ErrUnavailable, err) }
func rejected(err error) error    { return kind(signon.ErrRejected, err) }

func kind(of, err error) error {
	text := err.Error()
	if len(text) > maxError {
		text = text[:maxError] + "…"
	}
	return fmt.Errorf("%w: %s", of, text)
}

// saysNo tells a refusal from the answer of a server in trouble.
func saysNo(r *http.Response) bool {
	return r != nil && r.StatusCode < http.StatusInternalServerError &&
		r.StatusCode != http.StatusTooManyRequests && r.StatusCode != http.StatusRequestTimeout
}

// callFailed classifies a failed call: the provider refused, or gave no sensible answer.
func callFailed(ctx context.Context, err error) error {
	refusal, ok := errors.AsType[*oauth2.RetrieveError](err)
	if ok && ctx.Err() == nil && saysNo(refusal.Response) {
		return rejected(fmt.Errorf("token endpoint: %s %s", refusal.Response.Status, refusal.ErrorCode))
	}
	return unavailable(err)
}
