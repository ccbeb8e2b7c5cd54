package app_test

import (
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/config"
)

// TestSitesThatAreWarnedAbout: a loopback address would be in every certificate for
// good; and a plain http page from elsewhere is not a secure context (W3C Secure
// Contexts), without which it cannot encrypt.
func TestSitesThatAreWarnedAbout(t *testing.T) {
	t.Parallel()
	const machine, plain = "SITE_URL works only on this computer", "SITE_URL is plain http on a host other than localhost"
	for site, warning := range map[string]string{
		"": machine, "http://127.0.0.1:8080": machine, "https://localhost": machine, "https://keyward.example.com": "",
		"http://keyward.example.com": plain, "http://10.1.2.3:8080": plain,
	} {
		t.Run(site, func(t *testing.T) {
			t.Parallel()
			w := newFixtureWith(t, func(c *config.Config) { c.SiteURL = site })
			for _, text := range []string{machine, plain} {
				if got := strings.Contains(w.logs.String(), text); got != (text == warning) {
					t.Errorf("%s: %v", text, got)
				}
			}
		})
	}
}
