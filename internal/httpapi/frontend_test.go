package httpapi

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
)

// frontendBefore serves a frontend alone; backend may be empty.
func frontendBefore(t *testing.T, backend string, change ...func(*Options)) string {
	t.Helper()
	var to *url.URL
	if backend != "" {
		u, err := url.Parse(backend)
		if err != nil {
			t.Fatal(err)
		}
		to = u
	}
	pages := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "a page") })
	o := Options{Version: "1", Web: pages, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}
	for _, c := range change {
		c(&o)
	}
	f := httptest.NewServer(NewFrontend(o, to))
	t.Cleanup(f.Close)
	return f.URL
}

func TestFrontendAlone(t *testing.T) {
	t.Parallel()
	base := frontendBefore(t, "")
	for _, tc := range []struct {
		method, path string
		status       int
		body         string
	}{
		{"GET", "/", 200, "a page"},
		{"GET", "/apis", 200, "a page"},
		{"GET", "/health", 200, `{"status":"ok","version":"1"}` + "\n"},
		{"GET", "/livez", 200, `{"status":"ok","version":"1"}` + "\n"},
		{"GET", "/readyz", 200, `{"status":"ok","version":"1"}` + "\n"},
		{"GET", "/api", 404, "must route /api to a backend"},
		{"GET", "/api/health", 404, "must route /api to a backend"},
		{"POST", "/API/auth/login", 404, "must route /api to a backend"},
		{"POST", "/health", 405, "method_not_allowed"},
		{"GET", "//api/health", 404, "not_found"},
	} {
		res := do(t, tc.method, base+tc.path, "")
		if res.StatusCode != tc.status || !strings.Contains(res.Text, tc.body) {
			t.Errorf("%s %s: %d %s", tc.method, tc.path, res.StatusCode, res.Text)
		}
		if len(res.Header.Values("X-Request-Id")) != 1 || res.Header.Get("X-Frame-Options") != "DENY" {
			t.Errorf("%s %s: %v", tc.method, tc.path, res.Header)
		}
	}
}

// TestPassedOn: the backend sees the request as the client sent it, except for the
// headers about the client, which only the frontend sets.
func TestPassedOn(t *testing.T) {
	t.Parallel()
	var got *http.Request
	var body string
	backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		got, body = r, string(raw)
		w.Header().Set("X-Request-Id", r.Header.Get("X-Request-Id"))
		w.Header().Set("X-Frame-Options", "DENY")
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Add("Set-Cookie", "a=1")
		w.Header().Add("Set-Cookie", "b=2")
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.WriteString(w, "answer")
	}))
	t.Cleanup(backend.Close)
	base := frontendBefore(t, backend.URL)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/api/a%2Fb?x=1;y&z=%20", strings.NewReader(`{"q":1}`))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"X-Real-Ip": "203.0.113.5", "X-Forwarded-Proto": "https", "X-Forwarded-For": "198.51.100.1", "X-Forwarded-Host": "evil.example",
		"Forwarded":   "for=198.51.100.1",
		"Traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "Tracestate": "a=b",
		"X-Forwarded-Port": "1", "X-Request-Id": "request-0001", "Cookie": "c=3",
		"Origin": "https://keyward.example", "Connection": "X-Real-Ip, X-Request-Id",
	} {
		req.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if answer, err := io.ReadAll(res.Body); err != nil || res.StatusCode != http.StatusTeapot || string(answer) != "answer" || body != `{"q":1}` {
		t.Fatalf("%d %s %v, body %s", res.StatusCode, answer, err, body)
	}
	if got.RequestURI != "/api/a%2Fb?x=1;y&z=%20" || got.Method != http.MethodPost || "http://"+got.Host != backend.URL {
		t.Errorf("%s %s at %s", got.Method, got.RequestURI, got.Host)
	}
	for name, want := range map[string]string{
		"X-Real-Ip": "203.0.113.5", "X-Forwarded-Proto": "https", "X-Request-Id": "request-0001",
		"Cookie": "c=3", "Origin": "https://keyward.example",
		"X-Forwarded-For": "", "X-Forwarded-Host": "", "X-Forwarded-Port": "", "Forwarded": "", "Traceparent": "", "Tracestate": "",
	} {
		if v := got.Header.Values(name); strings.Join(v, "|") != want {
			t.Errorf("%s: %q, want %q", name, v, want)
		}
	}
	for name, want := range map[string]string{"X-Request-Id": "request-0001", "X-Frame-Options": "DENY",
		"Cache-Control": "no-store", "Set-Cookie": "a=1|b=2"} {
		if v := res.Header.Values(name); strings.Join(v, "|") != want {
			t.Errorf("answer: %s: %q, want %q", name, v, want)
		}
	}
	if res := do(t, "GET", base+"/tokens", ""); res.Text != "a page" {
		t.Errorf("a page: %s", res.Text)
	}
}

func TestBackendAway(t *testing.T) {
	t.Parallel()
	backend := httptest.NewServer(http.NotFoundHandler())
	backend.Close()
	res := do(t, "GET", frontendBefore(t, backend.URL)+"/api/auth/me", "")
	if d := res.Document(t); res.StatusCode != http.StatusServiceUnavailable || d.Code != "backend_unavailable" ||
		res.Header.Get("Retry-After") == "" || d.RequestID == "" {
		t.Errorf("%d %s", res.StatusCode, res.Text)
	}
	if strings.Contains(res.Text, "refused") {
		t.Errorf("the cause is told: %s", res.Text)
	}
}
