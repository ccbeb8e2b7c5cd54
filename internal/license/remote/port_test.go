package remote

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/api"
	"github.com/keyward/keyward/internal/httpapi/apitest"
	"github.com/keyward/keyward/internal/license"
	"github.com/keyward/keyward/internal/license/licensetest"
	"github.com/keyward/keyward/internal/license/server"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/must"
)

// TestPort: a license service over HTTP behaves as every license.Port, and all its
// answers are documented.
func TestPort(t *testing.T) {
	t.Parallel()
	contract := must.Get(apitest.Parse(api.License))(t)
	licensetest.Run(t, func(t *testing.T, keys license.Keys, now func() time.Time) license.Port {
		service := &license.Service{Vault: engine.Vault(t, t.TempDir(), nil), Keys: keys, Log: slog.New(slog.DiscardHandler), Now: now}
		return open(t, Options{
			URL: serve(t, service, secret.Fixed("a token that both share")), Token: secret.Fixed("a token that both share"),
			patience: time.Minute, transport: checked{t, contract},
		})
	})
}

// TestHealth: it is healthy if its vault is; callers need no authentication.
func TestHealth(t *testing.T) {
	t.Parallel()
	contract := must.Get(apitest.Parse(api.License))(t)
	for state, want := range map[vault.State]int{vault.Connected: 200, vault.Sealed: 503, vault.Disconnected: 503} {
		s := httptest.NewServer(server.New(server.Options{
			Token: secret.Fixed("a token that both share"), Vault: func(context.Context) vault.State { return state },
			Log: slog.New(slog.DiscardHandler),
		}))
		t.Cleanup(s.Close)
		req := must.Get(http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/health", nil))(t)
		res := must.Get(checked{t, contract}.RoundTrip(req))(t)
		if res.StatusCode != want {
			t.Errorf("%s: %d", state, res.StatusCode)
		}
	}
}

// TestConventions: unknown operations get a problem document that says what to do.
func TestConventions(t *testing.T) {
	t.Parallel()
	contract := must.Get(apitest.Parse(api.License))(t)
	service := &license.Service{Vault: engine.Vault(t, t.TempDir(), nil), Log: slog.New(slog.DiscardHandler), Now: time.Now}
	url := serve(t, service, nil)
	for _, c := range []struct {
		method, path, kind, body string
		want                     int
	}{
		{"GET", "/", "", "", 404},
		{"GET", "/license", "", "", 405},
		{"POST", "/license/status", "application/json", "{}", 405},
		{"GET", "/license//status", "", "", 404},
		{"GET", "/license/status?dance=1", "", "", 400},
		{"POST", "/license/upload", "text/plain", "{}", 415},
		{"POST", "/license/upload", "application/json", "", 400},
		{"POST", "/license/upload?replace_newer=perhaps", "application/json", "{}", 400},
		{"POST", "/license/upload", "application/json", "{}", 422},
		{"POST", "/license/upload", "application/json", strings.Repeat(" ", license.MaxFile+1), 413},
		{"DELETE", "/license", "", "", 404},
	} {
		req := must.Get(http.NewRequestWithContext(t.Context(), c.method, url+c.path, strings.NewReader(c.body)))(t)
		req.Header.Set("Content-Type", c.kind)
		res := must.Get(checked{t, contract}.RoundTrip(req))(t)
		if res.StatusCode != c.want || res.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s %s: %d %s, want %d", c.method, c.path, res.StatusCode, res.Header.Get("Content-Type"), c.want)
		}
	}
}

// serve runs a license service until the test's end.
func serve(t *testing.T, port license.Port, token func() (secret.String, error)) (url string) {
	t.Helper()
	s := httptest.NewServer(server.New(server.Options{
		Version: "test", License: port, Token: token, Log: slog.New(slog.DiscardHandler),
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func open(t *testing.T, o Options) *Client {
	t.Helper()
	o.Log = slog.New(slog.DiscardHandler)
	c := must.Get(New(o))(t)
	t.Cleanup(c.Close)
	return c
}

// checked checks each answer against the contract.
type checked struct {
	t        *testing.T
	contract *apitest.Contract
}

func (c checked) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, err
	}
	if err := c.contract.Check(r.Method, r.URL.Path, res.StatusCode, res.Header, body); err != nil {
		c.t.Errorf("%s %s: %v", r.Method, r.URL.Path, err)
	}
	res.Body = io.NopCloser(bytes.NewReader(body))
	return res, nil
}
