package web

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
)

func get(t *testing.T, h http.Handler, method, target string, header ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, target, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func TestServe(t *testing.T) {
	t.Parallel()
	h := Handler()
	for _, tc := range []struct {
		method, target string
		status         int
		media          string
	}{
		{"GET", "/", 200, "text/html; charset=utf-8"},
		{"GET", "/login", 200, "text/html; charset=utf-8"},
		{"GET", "/admin-login?next=%2F", 200, "text/html; charset=utf-8"},
		{"HEAD", "/", 200, "text/html; charset=utf-8"},

		{"GET", "/favicon.svg", 200, "image/svg+xml"},
		{"GET", "/missing.js", 404, "application/problem+json"},
		{"GET", "/..%2fweb.go", 404, "application/problem+json"},
		{"POST", "/", 405, "application/problem+json"},
		{"DELETE", "/favicon.svg", 405, "application/problem+json"},
	} {
		res := get(t, h, tc.method, tc.target)
		if res.StatusCode != tc.status || res.Header.Get("Content-Type") != tc.media {
			t.Errorf("%s %s: %d %s", tc.method, tc.target, res.StatusCode, res.Header.Get("Content-Type"))
		}
		if res.StatusCode == http.StatusOK && (!strings.HasPrefix(res.Header.Get("Content-Security-Policy"), "default-src 'none'") || res.Header.Get("Cache-Control") != "no-cache") {
			t.Errorf("%s %s: %v", tc.method, tc.target, res.Header)
		}
		if res.StatusCode == http.StatusMethodNotAllowed && res.Header.Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: Allow %q", tc.method, res.Header.Get("Allow"))
		}
	}
}

func TestPolicyForbidsInlineScript(t *testing.T) {
	t.Parallel()
	if strings.Contains(policy, "unsafe") || strings.Contains(policy, "*;") && !strings.Contains(policy, "127.0.0.1:*") {
		t.Error(policy)
	}
	page, err := built.ReadFile("placeholder/index.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, inline := range []string{"<script>", "<style", "style=", "onclick", "onload"} {
		if strings.Contains(string(page), inline) {
			t.Errorf("the page has %s, which its own policy blocks", inline)
		}
	}
}

func TestNotModified(t *testing.T) {
	t.Parallel()
	h := Handler()
	etag := get(t, h, "GET", "/").Header.Get("Etag")
	for _, match := range []string{etag, `"x", W/` + etag} {
		if res := get(t, h, "GET", "/", "If-None-Match", match); res.StatusCode != http.StatusNotModified || res.Header.Get("Etag") != etag {
			t.Errorf("%s: %d", match, res.StatusCode)
		}
	}
	if res := get(t, h, "GET", "/", "If-None-Match", `"other"`); res.StatusCode != http.StatusOK {
		t.Errorf("another tag: %d", res.StatusCode)
	}
}

func TestAssetsNeverChange(t *testing.T) {
	t.Parallel()
	h, err := handler(fstest.MapFS{
		"index.html":       {Data: []byte("x")},
		"assets/a-1234.js": {Data: []byte("y")},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := get(t, h, "GET", "/assets/a-1234.js").Header.Get("Cache-Control"); got != "public, max-age=31536000, immutable" {
		t.Errorf("got %q", got)
	}
	for _, broken := range []fstest.MapFS{
		{"other.html": {Data: []byte("x")}},
		{"index.html": {Data: []byte("x")}, "odd.exe": {Data: []byte("x")}},
	} {
		if _, err := handler(broken); err == nil {
			t.Errorf("%v was taken", broken)
		}
	}
}
