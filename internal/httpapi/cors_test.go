package httpapi

import (
	"net/http"
	"testing"

	"github.com/keyward/keyward/internal/access"
)

func TestCORS(t *testing.T) {
	t.Parallel()
	s, url := setup(t)
	for _, tc := range []struct {
		origins []string
		allowed bool
	}{
		{[]string{"https://ui.example"}, true},
		{nil, false},
		{[]string{"https://UI.example"}, false},
		{[]string{"https://ui.example:443"}, false},
		{[]string{"http://ui.example"}, false},
		{[]string{"https://ui.example/"}, false},
		{[]string{"https://ui.example.evil.example"}, false},
		{[]string{"https://evil.example"}, false},
		{[]string{"null"}, false},
		{[]string{"*"}, false},
		{[]string{"https://ui.example", "https://evil.example"}, false},
	} {
		var headers []string
		for _, o := range tc.origins {
			headers = append(headers, "Origin", o)
		}
		if len(tc.origins) == 1 && s.OriginAllowed(tc.origins[0]) != tc.allowed {
			t.Errorf("OriginAllowed(%q) is not %v", tc.origins[0], tc.allowed)
		}
		want, credentials := "", ""
		if tc.allowed {
			want, credentials = tc.origins[0], "true"
		}
		res := do(t, "GET", url+"/api/test/who/x", "", headers...)
		h := res.Header
		if h.Get("Access-Control-Allow-Origin") != want || h.Get("Access-Control-Allow-Credentials") != credentials ||
			h.Get("Vary") != "Origin" || res.StatusCode != http.StatusUnauthorized {
			t.Errorf("%q: %d %v", tc.origins, res.StatusCode, h)
		}
		pre := do(t, "OPTIONS", url+"/api/test/public", "",
			append(headers, "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "content-type")...)
		h = pre.Header
		if pre.StatusCode != http.StatusNoContent || h.Get("Access-Control-Allow-Origin") != want ||
			(h.Get("Access-Control-Allow-Methods") != "") != tc.allowed ||
			(h.Get("Access-Control-Allow-Headers") != "") != tc.allowed || h.Get("Vary") == "" {
			t.Errorf("preflight of %q: %d %v", tc.origins, pre.StatusCode, h)
		}
	}
}

// TestCORSOff: without allowed origins no CORS header appears.
func TestCORSOff(t *testing.T) {
	t.Parallel()
	s := newServerWithTestRoutes(Options{Auth: tokens{}})
	for name := range call(s, "GET", "/api/test/who/x", as(access.User, "Origin", "https://ui.example")...).Header() {
		if name == "Vary" || len(name) > 15 && name[:15] == "Access-Control-" {
			t.Errorf("%s is there", name)
		}
	}
}

// TestSiteIsAnAllowedOrigin: pages of SITE_URL need no entry in ALLOWED_ORIGINS, and
// their origin is compared as browsers send it.
func TestSiteIsAnAllowedOrigin(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		site, origin string
		allowed      bool
	}{
		{"https://keyward.example", "https://keyward.example", true},
		{"https://Keyward.example:443", "https://keyward.example", true},
		{"http://localhost:8080", "http://localhost:8080", true},
		{"http://keyward.example:80", "http://keyward.example", true},
		{"https://keyward.example", "http://keyward.example", false},
		{"https://keyward.example", "https://keyward.example:8443", false},
		{"https://keyward.example", "https://a.keyward.example", false},
		{"", "", false},
		{"", "null", false},
		{"nonsense", "://", false},
	} {
		s := newServerWithTestRoutes(Options{Auth: tokens{}, SiteURL: tc.site})
		got := call(s, "GET", "/api/test/who/x", as(access.User, "Origin", tc.origin)...).Header().Get("Access-Control-Allow-Origin")
		if (got == tc.origin && got != "") != tc.allowed || s.OriginAllowed(tc.origin) != tc.allowed {
			t.Errorf("%q at %q: %q", tc.origin, tc.site, got)
		}
	}
}
