package web

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
)

var testOptions = Options{AgentURL: "http://127.0.0.1:56123", SiteURL: "https://keyward.example"}

// testTree is an example of a build.
func testTree() fstest.MapFS {
	return fstest.MapFS{
		"index.html": {Data: []byte(`<meta name="csp-nonce" content="__CSP_NONCE__" /><meta name="keyward-agent" content="__AGENT_URL__" />` +
			`<style nonce="__CSP_NONCE__"></style>`)},
		"favicon.svg":      {Data: []byte("<svg></svg>")},
		".built":           {Data: []byte("secret")},
		"assets/a-1.js":    {Data: []byte("a script, in plain form")},
		"assets/a-1.js.br": {Data: []byte("in brotli")},
		"assets/a-1.js.gz": {Data: []byte("in gzip form")},
		"assets/b-2.css":   {Data: []byte("style")},
		// Larger than the plain file: useless.
		"assets/b-2.css.gz": {Data: []byte("longer than plain")},
	}
}

func newTestSite(t *testing.T, tree fstest.MapFS) http.Handler {
	t.Helper()
	s, err := newSite(tree, testOptions)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func get(t *testing.T, h http.Handler, method, target string, header ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, target, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, res *http.Response) string {
	t.Helper()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestServe tests what the program was built with, the placeholder or the pages.
func TestServe(t *testing.T) {
	t.Parallel()
	h, err := Handler(testOptions)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		method, target string
		status         int
		media          string
	}{
		{"GET", "/", 200, "text/html; charset=utf-8"},
		{"GET", "/admin-login?next=%2F", 200, "text/html; charset=utf-8"},
		{"HEAD", "/", 200, "text/html; charset=utf-8"},
		{"GET", "/favicon.svg", 200, "image/svg+xml"},
		{"GET", "/missing.js", 404, "application/problem+json"},
		{"GET", "/assets/", 404, "application/problem+json"},
		{"GET", "/.keep", 404, "application/problem+json"},
		{"GET", "/..%2fweb.go", 404, "application/problem+json"},
		{"POST", "/", 405, "application/problem+json"},
		{"DELETE", "/favicon.svg", 405, "application/problem+json"},
	} {
		res := get(t, h, tc.method, tc.target)
		if res.StatusCode != tc.status || res.Header.Get("Content-Type") != tc.media {
			t.Errorf("%s %s: %d %s", tc.method, tc.target, res.StatusCode, res.Header.Get("Content-Type"))
		}
		if tc.media == "text/html; charset=utf-8" && res.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s %s may be kept: %v", tc.method, tc.target, res.Header)
		}
		if res.StatusCode == http.StatusMethodNotAllowed && res.Header.Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: Allow %q", tc.method, res.Header.Get("Allow"))
		}
	}
}

// TestNoFrame: no answer, including refusals, may be framed or opened by another site.
func TestNoFrame(t *testing.T) {
	t.Parallel()
	h := newTestSite(t, testTree())
	for _, tc := range [][2]string{
		{"GET", "/"}, {"GET", "/login"}, {"GET", "/favicon.svg"}, {"GET", "/assets/a-1.js"}, {"GET",
			"/missing.js"}, {"POST", "/"}, {"HEAD", "/x"},
	} {
		res := get(t, h, tc[0], tc[1])
		if csp := res.Header.Values("Content-Security-Policy"); len(csp) != 1 || !strings.Contains(csp[0], "frame-ancestors 'none'") ||
			!strings.HasPrefix(csp[0], "default-src 'none'") {
			t.Errorf("%s: policy %q", tc, csp)
		}
		for name, want := range map[string]string{
			"X-Frame-Options": "DENY", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
			"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
			"Strict-Transport-Security": "max-age=31536000",
		} {
			if got := res.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q", tc, name, got)
			}
		}
		if !strings.Contains(res.Header.Get("Permissions-Policy"), "camera=()") {
			t.Errorf("%s: %q", tc, res.Header.Get("Permissions-Policy"))
		}
	}
}

func TestPlainSite(t *testing.T) {
	t.Parallel()
	h, err := newSite(testTree(), Options{AgentURL: testOptions.AgentURL, SiteURL: "http://localhost:8080"})
	if err != nil {
		t.Fatal(err)
	}
	if got := get(t, h, "GET", "/").Header.Get("Strict-Transport-Security"); got != "" {
		t.Errorf("plain http demands https: %q", got)
	}
}
