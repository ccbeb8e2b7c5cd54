package app_test

import (
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/config"
)

// TestSiteOfThisMachineIsWarnedAbout: its address would stand in every
// certificate for good.
func TestSiteOfThisMachineIsWarnedAbout(t *testing.T) {
	t.Parallel()
	for site, warned := range map[string]bool{
		"": true, "http://127.0.0.1:8080": true, "https://localhost": true, "https://keyward.example.com": false,
	} {
		t.Run(site, func(t *testing.T) {
			t.Parallel()
			w := newTownWith(t, func(c *config.Config) { c.SiteURL = site })
			if got := strings.Contains(w.logs.String(), "SITE_URL is this machine alone"); got != warned {
				t.Errorf("warned: %v", got)
			}
		})
	}
}
