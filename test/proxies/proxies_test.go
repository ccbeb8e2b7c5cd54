package proxies_test

import (
	"bytes"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/client"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/proxies"
	"github.com/keyward/keyward/test/server"
	"github.com/keyward/keyward/test/tier"
)

// each tries a claim with nginx, and in the exhaustive tier with every proxy.
func each(t *testing.T, claim func(t *testing.T, p proxies.Program)) {
	t.Helper()
	t.Parallel()
	for _, p := range tier.Of([]proxies.Program{proxies.Nginx}, proxies.All) {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			claim(t, p)
		})
	}
}

// site is an installation behind a proxy.
type site struct {
	*proxies.Server
	backend, frontend string // base addresses, bypassing the proxy
	stopBackend       func()
}

func start(t *testing.T, p proxies.Program) *site {
	t.Helper()
	settings := server.Settings{"SITE_URL": proxies.Site}
	s := &site{}
	s.backend, s.stopBackend = server.Backend(t, t.TempDir(), settings)
	s.frontend = server.Frontend(t, settings)
	at := func(base string) []string { return []string{strings.TrimPrefix(base, "http://")} }
	s.Server = proxies.Start(t, p, "../..", at(s.backend), at(s.frontend))
	return s
}

// answer is a complete response.
type answer struct {
	*http.Response
	body string
}

// ask sends one request from an address of this machine, without following redirects.
func (s *site) ask(t *testing.T, from string, r *http.Request) answer {
	t.Helper()
	transport := s.Transport(from)
	defer transport.CloseIdleConnections()
	return roundTrip(t, transport, r)
}

func roundTrip(t *testing.T, through http.RoundTripper, r *http.Request) answer {
	t.Helper()
	res := must.Get(through.RoundTrip(r))(t)
	defer func() { _ = res.Body.Close() }()
	return answer{res, string(must.Get(io.ReadAll(res.Body))(t))}
}

func request(t *testing.T, method, url string, body io.Reader, headers ...string) *http.Request {
	t.Helper()
	r := must.Get(http.NewRequestWithContext(t.Context(), method, url, body))(t)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

func (s *site) get(t *testing.T, url string, headers ...string) answer {
	t.Helper()
	return s.ask(t, "", request(t, "GET", url, nil, headers...))
}

// object parses a JSON response.
func (a answer) object(t *testing.T) map[string]any {
	t.Helper()
	var out map[string]any
	if err := json.Unmarshal([]byte(a.body), &out); err != nil {
		t.Fatalf("%d %s: %v in %s", a.StatusCode, a.Header.Get("Content-Type"), err, a.body)
	}
	return out
}

// TestRouting: /api in any case goes to the backend, all else to the frontend, and each
// responds as it does without a proxy (specification, "Routing contract").
func TestRouting(t *testing.T) {
	each(t, func(t *testing.T, p proxies.Program) {
		s := start(t, p)
		backend, frontend, either := []string{s.backend}, []string{s.frontend}, []string{s.backend, s.frontend}
		for address, to := range map[string][]string{
			"/api/health": backend, "/API/health": backend, "/Api/openapi.yaml": backend, "/api": backend, "/api/": backend,
			"/api/pki/ca": backend, "/api/pki/crl/status": backend, "/api/auth/me": backend, "/api/auth/config?x=%20;y": backend,
			"/api/hwkey/a%2Fb": backend, "/api//health": backend, "/api/./health": backend, "/%61pi/health": backend,
			"/": frontend, "/login": frontend, "/admin-login": frontend, "/apis": frontend, "/health": frontend, "/readyz": frontend,
			"/downloads/": frontend, "/favicon.ico": frontend, "/tokens/..": frontend,
			// Both refuse what is not clean.
			"/x/../api/health": either, "/api/../login": either, "//api/health": either, "/api%2Fhealth": either,
			// The agent's address: here it is a page like any other.
			"/.well-known/service-agent": frontend, "/pubkey": frontend,
		} {
			got := s.get(t, proxies.Site+address)
			var differs []string
			for _, base := range to {
				for _, sent := range asSent(t, p, address) {
					differs = append(differs, difference(got, roundTrip(t, http.DefaultTransport, request(t, "GET", base+sent, nil))))
				}
			}
			if !slices.Contains(differs, "") {
				t.Errorf("%s: %d differs from without the proxy: %q %.200s", address, got.StatusCode, differs, got.body)
			}
			if len(got.Header.Values("X-Request-Id")) != 1 || got.ProtoMajor != 2 {
				t.Errorf("%s: %s %v", address, got.Proto, got.Header)
			}
		}
		if n := s.Listening(t); len(n) != 2 {
			t.Errorf("it listens on %v", n)
		}
	})
}

// asSent lists what servers may get for an address.
func asSent(t *testing.T, p proxies.Program, address string) []string {
	t.Helper()
	out := []string{address}
	if name, query, _ := strings.Cut(address, "?"); p.Cleans && query == "" {
		out = append(out, path.Clean(must.Get(url.PathUnescape(name))(t)))
	}
	return out
}

// difference tells how an answer differs from one without the proxy; empty: not at all.
func difference(got, want answer) string {
	if got.StatusCode != want.StatusCode {
		return fmt.Sprintf("%d, not %d", got.StatusCode, want.StatusCode)
	}
	for name, want := range want.Header {
		if name == "Date" || name == "X-Request-Id" || name == "Content-Security-Policy" {
			continue // new in each response
		}
		if got := got.Header.Values(name); strings.Join(got, "|") != strings.Join(want, "|") {
			return fmt.Sprintf("%s: %q, not %q", name, got, want)
		}
	}
	return ""
}

// TestClient: the server learns the client's address and scheme from the proxy, and ignores
// the client's claims about them.
func TestClient(t *testing.T) {
	each(t, func(t *testing.T, p proxies.Program) {
		s := start(t, p)
		body := `{"username":"admin","password":"` + server.Password + `"}`
		in := s.ask(t, "127.0.0.7", request(t, "POST", proxies.Site+"/api/auth/login", strings.NewReader(body),
			"Content-Type", "application/json", "X-Keyward-Client", "web", "Origin", proxies.Site, "X-Request-Id", "request-0001",
			"X-Real-IP", "203.0.113.9", "X-Forwarded-For", "203.0.113.9", "Forwarded", "for=203.0.113.9", "X-Forwarded-Proto", "http"))
		if in.StatusCode != http.StatusOK || in.Header.Get("X-Request-Id") != "request-0001" {
			t.Fatalf("%d %v %s", in.StatusCode, in.Header, in.body)
		}
		if cookie := in.Header.Get("Set-Cookie"); !strings.HasPrefix(cookie, "__Host-") || !strings.Contains(cookie, "; Secure") {
			t.Errorf("the cookie of a page by https: %.30s", cookie)
		}
		if in.Header.Get("Strict-Transport-Security") == "" {
			t.Error("https is not said to stay")
		}
		session := in.object(t)
		me := s.get(t, proxies.Site+"/api/auth/sessions", "Authorization", "Bearer "+session["access_token"].(string)).object(t)
		if first := me["items"].([]any)[0].(map[string]any); first["ip_address"] != "127.0.0.7" {
			t.Errorf("the session's address is %v", first["ip_address"])
		}

		s.get(t, proxies.Site+"/api/auth/oidc/callback?code=a-code&state=x", "X-Request-Id", "request-0002")
		await.That(t, "the callback is logged", func() bool { return strings.Contains(s.AccessLog(t), "request-0002") })
		if text := s.AccessLog(t); strings.Contains(text, "a-code") || !strings.Contains(text, "request-0001") {
			t.Errorf("the log: %s", text)
		}
	})
}

// TestPlain: without TLS, only signed content is served, and redirects to https.
func TestPlain(t *testing.T) {
	each(t, func(t *testing.T, p proxies.Program) {
		s := start(t, p)
		const plain = "http://" + proxies.Host
		crl := s.get(t, plain+"/API/pki/crl")
		if _, err := x509.ParseRevocationList([]byte(crl.body)); err != nil || crl.Header.Get("Content-Type") != "application/pkix-crl" {
			t.Errorf("the CRL: %d %v %v", crl.StatusCode, crl.Header, err)
		}
		ca := must.Get(x509.ParseCertificate([]byte(s.get(t, plain+"/api/pki/ca.cer").body)))(t)
		checks := filepath.Join(t.TempDir(), "nginx.conf") // of another site, which checks certificates
		for name, text := range map[string]string{
			"ca.pem": s.get(t, plain+"/api/pki/ca").body, "crl.pem": s.get(t, plain+"/api/pki/crl?format=pem").body,
			"nginx.conf": "pid test.pid; events {} http { server { listen 127.0.0.1:1 ssl; ssl_verify_client on; " +
				"ssl_certificate " + filepath.Join(s.Dir, "cert.pem") + "; ssl_certificate_key " + filepath.Join(s.Dir, "key.pem") +
				"; ssl_client_certificate ca.pem; ssl_crl crl.pem; } }",
		} {
			must.OK(t, os.WriteFile(filepath.Join(filepath.Dir(checks), name), []byte(text), 0o600))
		}
		if list := must.Get(x509.ParseRevocationList([]byte(crl.body)))(t); list.CheckSignatureFrom(ca) != nil {
			t.Error("the CRL is not of the CA at the CA's address")
		}
		proxies.CheckNginx(t, checks)
		if res := s.get(t, plain+"/api/pki/crl?format=text"); res.StatusCode != http.StatusBadRequest {
			t.Errorf("a CRL in another format: %d", res.StatusCode)
		}
		const malformed = "0\x03\n\x01\x01" // an OCSPResponse
		for _, ask := range []*http.Request{
			request(t, "POST", plain+"/api/pki/ocsp", strings.NewReader("no request")), request(t, "GET", plain+"/api/pki/ocsp/AA//BB", nil),
		} {
			if res := s.ask(t, "", ask); res.StatusCode != http.StatusOK || res.body != malformed {
				t.Errorf("OCSP by %s: %d %q", ask.Method, res.StatusCode, res.body)
			}
		}
		if res := s.ask(t, "", request(t, "POST", plain+"/api/pki/crl", nil)); res.StatusCode != http.StatusForbidden &&
			res.StatusCode != http.StatusPermanentRedirect {
			t.Errorf("POST of the CRL: %d", res.StatusCode)
		}
		for _, path := range []string{"/", "/login?x=1", "/api/auth/login", "/api/pkix/crl"} {
			res := s.ask(t, "", request(t, "POST", plain+path, strings.NewReader("{}")))
			if res.StatusCode != http.StatusPermanentRedirect || res.Header.Get("Location") != proxies.Site+path {
				t.Errorf("%s: %d to %s", path, res.StatusCode, res.Header.Get("Location"))
			}
		}
		for _, path := range []string{"/api/pki/ocsp"} {
			res := s.ask(t, "", request(t, "POST", plain+path, bytes.NewReader(make([]byte, 1<<20+1))))
			if out := res.object(t); res.StatusCode != http.StatusRequestEntityTooLarge || out["code"] != "body_too_large" ||
				out["request_id"] != res.Header.Get("X-Request-Id") {
				t.Errorf("%s with a large body: %d %s", path, res.StatusCode, res.body)
			}
		}
	})
}

// TestBodies: Keyward's own limits apply, with its own messages, and the proxy answers like
// it if a body does not get that far.
func TestBodies(t *testing.T) {
	each(t, func(t *testing.T, p proxies.Program) {
		s := start(t, p)
		token := s.ask(t, "", request(t, "POST", proxies.Site+"/api/auth/login",
			strings.NewReader(`{"username":"admin","password":"`+server.Password+`"}`), "Content-Type", "application/json")).object(t)["access_token"].(string)
		header := "serial,label,model,firmware_version,form_factor,owner,organization\n"
		row := "50000001,a label,,,,,\n"
		csv := header + strings.Repeat(row, (8<<20-len(header))/len(row))
		for _, tc := range []struct {
			name, path, mediaType, body string
			status                      int
			code                        string
		}{
			{"all that an import may have", "/api/hwkey/import?dry_run=true", "text/csv", csv, 0, ""},
			{"more than an import may have", "/api/hwkey/import?dry_run=true", "text/csv", csv + strings.Repeat(row, 10), 413, "body_too_large"},
			{"more than any", "/api/hwkey/import?dry_run=true", "text/csv", strings.Repeat(row, 1<<19), 413, "body_too_large"},
			{"all that JSON may have", "/api/hwkey", "application/json", `{"serial":"` + strings.Repeat("1", 1<<20-13) + `"}`, 400, "invalid_request"},
			{"more than JSON may have", "/api/hwkey", "application/json", `{"serial":"` + strings.Repeat("1", 1<<20) + `"}`, 413, "body_too_large"},
		} {
			res := s.ask(t, "", request(t, "POST", proxies.Site+tc.path, bytes.NewReader([]byte(tc.body)),
				"Content-Type", tc.mediaType, "Authorization", "Bearer "+token))
			if tc.status == 0 { // its response about the rows does not matter here
				if res.StatusCode == http.StatusRequestEntityTooLarge || res.StatusCode >= 500 {
					t.Errorf("%s: %d %.300s", tc.name, res.StatusCode, res.body)
				}
				continue
			}
			if out := res.object(t); res.StatusCode != tc.status || out["code"] != tc.code ||
				res.Header.Get("Content-Type") != "application/problem+json" || out["request_id"] != res.Header.Get("X-Request-Id") {
				t.Errorf("%s: %d %v %s", tc.name, res.StatusCode, res.Header, res.body)
			}
		}
	})
}

// TestBackendGone: a problem document like Keyward's own, and pages are still served.
func TestBackendGone(t *testing.T) {
	each(t, func(t *testing.T, p proxies.Program) {
		s := start(t, p)
		if res := s.get(t, proxies.Site+"/api/health"); res.StatusCode != http.StatusOK {
			t.Fatalf("before: %d %s", res.StatusCode, res.body)
		}
		s.stopBackend()
		for _, address := range []string{proxies.Site + "/api/health", proxies.Site + "/api/pki/crl", "http://" + proxies.Host + "/api/pki/crl"} {
			res := s.get(t, address)
			if !p.OwnWords {
				isAway(t, address, res)
			} else if res.StatusCode != http.StatusBadGateway && res.StatusCode != http.StatusServiceUnavailable {
				t.Errorf("%s: %d %v %s", address, res.StatusCode, res.Header, res.body)
			}
		}
		// Whoever uses the command gets the same, whatever the proxy says.
		b := must.Get(client.NewBackend(proxies.Site, client.BackendOptions{}))(t)
		b.SetTransport(s.Transport(""))
		if _, err := b.Login(t.Context(), "admin", secret.New(server.Password)); !fault.Is(err, fault.BackendUnavailable) {
			t.Errorf("the command: %v", err)
		}
		if res := s.get(t, proxies.Site+"/login"); res.StatusCode != http.StatusOK {
			t.Errorf("a page: %d", res.StatusCode)
		}
	})
}
