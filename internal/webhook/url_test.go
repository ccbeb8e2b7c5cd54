package webhook_test

import (
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/webhook"
)

var refusedURLs = []string{
	"", "x", "https://", "https:///x", "https:example.org", "//example.org", "http://example.org/", "HTTP://example.org", "ftp://example.org",
	"https://user@example.org/", "https://user:pw@example.org/", "https://:@example.org/", "https://@example.org/",
	"https://example.org/#a", "https://example.org/#", "https://example.org:0/", "https://example.org:65536/", "https://example.org:/",
	"https://example.org:x/", "https://exa mple.org/", "https://example.org/\n", "https://example.org/\x7f", "https://exämple.org/",
	"https://example.org\\@evil.org/", "https://exa%6dple..org/", "https://-.%2e/", "https://ex!ample.org/", "https://*.example.org/",
	"https://" + strings.Repeat("a", 64) + ".org/", "https://example.org/" + strings.Repeat("a", 2048),
	"https://127.0.0.1/", "https://10.0.0.1:8443/x", "https://[::1]/", "https://[::ffff:127.0.0.1]/",
	"https://[fe80::1%25eth0]/", "https://[2000::%250]/",
	"https://169.254.169.254/latest/meta-data", "https://[64:ff9b::7f00:1]/", "https://0.0.0.0/",
	"https://[::]/", "https://[::1/", "https://::1/",
}

func TestRefusedURLs(t *testing.T) {
	t.Parallel()
	for _, text := range refusedURLs {
		err := webhook.CheckURL(text, nil)
		f, ok := fault.As(err)
		if !ok || f.Code != fault.InvalidRequest || f.Fields[0].Field != "url" {
			t.Errorf("%q: got %v, want a fault about url", text, err)
		}
	}
}

var goodURLs = []string{
	"https://example.org", "https://example.org/", "HTTPS://Example.ORG:8443/a/b?c=d&e=%23", "https://example.org.:443/",
	"https://hooks_1.example.org/",
	"https://receiver/", "https://1.1.1.1/", "https://[2606:4700::1111]:8443/", "https://xn--exmple-cua.org/",
	"https://example.org/" + strings.Repeat("a", 2048-len("https://example.org/")),
}

func TestGoodURLs(t *testing.T) {
	t.Parallel()
	for _, text := range goodURLs {
		if err := webhook.CheckURL(text, nil); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
	if err := webhook.CheckURL("https://10.0.0.1:8443/x", webhook.Networks{netip.MustParsePrefix("10.0.0.0/8")}); err != nil {
		t.Errorf("an allowed address: %v", err)
	}
}

// FuzzCheckURL: an accepted address is what it claims to be, by another parser,
// too; a refused one is not echoed.
func FuzzCheckURL(f *testing.F) {
	for _, text := range append(append([]string{}, refusedURLs...), goodURLs...) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		err := webhook.CheckURL(text, nil)
		if err != nil {
			if !fault.Is(err, fault.InvalidRequest) {
				t.Fatalf("no fault: %v", err)
			}
			return
		}
		u, err := url.Parse(text)
		if err != nil {
			t.Fatalf("a URL that passed cannot be parsed: %v", err)
		}
		rest := text[len("https://"):]
		authority := rest
		if i := strings.IndexAny(rest, "/?"); i >= 0 {
			authority = rest[:i]
		}
		switch {
		case !strings.EqualFold(text[:len("https://")], "https://"), len(text) > 2048:
			t.Errorf("%q passed", text)
		case strings.ContainsAny(authority, "@%\\ "), strings.ContainsAny(text, "#\r\n\t \x00"):
			t.Errorf("%q passed", text)
		case u.Host != authority, u.Hostname() == "", u.User != nil, u.Fragment != "":
			t.Errorf("%q passed, and its parts are %#v", text, u)
		}
		if addr, err := netip.ParseAddr(u.Hostname()); err == nil && (webhook.Networks)(nil).Check(addr) != nil {
			t.Errorf("%q passed with a refused address", text)
		}
	})
}
