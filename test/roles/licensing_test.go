package roles

import (
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/license"
	"github.com/keyward/keyward/internal/license/licensetest"
	licenseserver "github.com/keyward/keyward/internal/license/server"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/server"
)

// licensing is a license service with its own vault, clock and vendor.
type licensing struct {
	*license.Service

	clock    licensetest.Clock
	vendor   licensetest.Vendor
	settings server.Settings // of a backend that uses it
}

// newLicensing runs a license service until the test's end. Its clock, which the
// backend follows, stands still, an hour ahead.
func newLicensing(t *testing.T) *licensing {
	t.Helper()
	const token = "the-token-of-licensing"
	l := &licensing{vendor: licensetest.New(1)}
	l.clock.Set(time.Now().UTC().Truncate(time.Second).Add(time.Hour))
	quiet := slog.New(slog.DiscardHandler)
	l.Service = &license.Service{Vault: engine.Vault(t, t.TempDir(), nil), Keys: l.vendor.Keys(t), Log: quiet, Now: l.clock.Now}
	s := httptest.NewServer(licenseserver.New(licenseserver.Options{Version: "test", License: l, Token: secret.Fixed(token), Log: quiet}))
	t.Cleanup(s.Close)
	l.settings = server.Settings{"LICENSE_SERVICE_URL": s.URL, "LICENSE_SERVICE_TOKEN": token}
	return l
}

// pass advances the clock by days.
func (l *licensing) pass(days int) { l.clock.Set(l.clock.Now().AddDate(0, 0, days)) }

// is compares what the service says, and waits until the backend has learned it.
func (l *licensing) is(t *testing.T, c *fixture, want license.Status, days int) {
	t.Helper()
	is := must.Get(l.Status(t.Context()))(t)
	if left := is.DaysRemaining; is.Status != want || left != days && want != license.Trial {
		t.Errorf("the service says %s with %d days, want %s with %d", is.Status, left, want, days)
	}
	await.That(t, "the backend says "+string(want), func() bool {
		seen := c.Must(t, "GET", "/api/admin/license", c.root().token, nil)
		return seen["status"] == string(want) && number(seen["days_remaining"]) == days && seen["restricted"] == want.Restricts()
	})
}

// upload has a license issued for days days and an hour, and uploads it.
func (l *licensing) upload(t *testing.T, c *fixture, days int) {
	t.Helper()
	id := c.Must(t, "GET", "/api/admin/license/installation-id", c.root().token, nil)["installation_id"].(string)
	file := l.vendor.Issue(t, id, l.clock.Now(), l.clock.Now().AddDate(0, 0, days).Add(time.Hour))
	c.Must(t, "POST", "/api/admin/license/upload", c.root().token, json.RawMessage(file))
}
