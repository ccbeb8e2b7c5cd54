package web

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

var nonceForm = regexp.MustCompile(`'nonce-([A-Z2-7]{26,})'`)

// TestPage: the build's placeholders are filled in; the policy's nonce is that
// of the page, and for one answer.
func TestPage(t *testing.T) {
	t.Parallel()
	h := newTestSite(t, testTree())
	seen := map[string]bool{}
	for range 20 {
		res := get(t, h, "GET", "/tokens")
		page := body(t, res)
		found := nonceForm.FindStringSubmatch(res.Header.Get("Content-Security-Policy"))
		if found == nil || seen[found[1]] {
			t.Fatalf("policy %q", res.Header.Get("Content-Security-Policy"))
		}
		seen[found[1]] = true
		if strings.Count(page, `"`+found[1]+`"`) != 2 || !strings.Contains(page, `content="http://127.0.0.1:56123"`) || strings.Contains(page, "__") {
			t.Errorf("page %s", page)
		}
		if res.Header.Get("Etag") != "" || res.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("it may be kept: %v", res.Header)
		}
	}
}

// TestPolicy checks the page's policy word by word: a change of it is a decision.
func TestPolicy(t *testing.T) {
	t.Parallel()
	policy := get(t, newTestSite(t, testTree()), "GET", "/").Header.Get("Content-Security-Policy")
	got := strings.Split(nonceForm.ReplaceAllString(policy, "'nonce-N'"), "; ")
	want := []string{
		"default-src 'none'", "script-src 'self'", "style-src 'self' 'nonce-N'", "img-src 'self'", "font-src 'self'",
		"connect-src 'self' http://127.0.0.1:56123 http://localhost:56123", "manifest-src 'self'",
		"base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'",
		"require-trusted-types-for 'script'", "trusted-types default",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if strings.Contains(policy, "unsafe") {
		t.Error("something unsafe is allowed")
	}
}

// TestNothingInline: no page contains what its own policy blocks.
func TestNothingInline(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"placeholder/index.html", "dist/index.html"} {
		page, err := built.ReadFile(name)
		if err != nil && name == "placeholder/index.html" {
			t.Fatal(err)
		}
		for _, inline := range []string{"<script>", "<style>", "style=", "onclick", "onload", "javascript:", "https://"} {
			if strings.Contains(string(page), inline) {
				t.Errorf("%s has %s", name, inline)
			}
		}
	}
}
