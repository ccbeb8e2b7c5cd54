package app_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/app"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/vaultserver"
)

// TestDoctorOfEnds: as time goes by, the diagnosis names what ends before it does, and a server that no
// longer looks at its parts.
func TestDoctorOfEnds(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	ask := func(context.Context) (bool, string, error) { return true, "test", nil }
	after := func(d time.Duration) map[string]app.Gravity {
		t.Helper()
		found := app.Doctor(t.Context(), app.Examination{Version: "test", Config: w.cfg, Ask: ask,
			Now: func() time.Time { return time.Now().Add(d) }}, nil)
		by := map[string]app.Gravity{}
		for _, f := range found.Findings {
			if strings.HasPrefix(f.About, "certificate authority ") { // and its ID
				f.About = "certificate authority"
			}
			by[f.About] = f.Gravity
		}
		by["all"] = found.Gravity
		return by
	}
	w.must(200, "GET", "/api/health", "", nil)
	_ = w.file("/api/pki/crl")
	await.That(t, "a look at all parts", func() bool { return after(0)["last check"] == app.Fine })
	const day = 24 * time.Hour
	for _, c := range []struct {
		after time.Duration
		about string
		want  app.Gravity
	}{
		{0, "certificate authority", app.Fine}, {0, "license", app.Fine}, {0, "server", app.Fine}, {0, "version", app.Fine},
		{20 * day, "license", app.Attention}, {40 * day, "license", app.Failure}, {time.Hour, "last check", app.Failure},
		{3600 * day, "certificate authority", app.Attention}, {3700 * day, "certificate authority", app.Failure},
		{3700 * day, "all", app.Failure},
	} {
		if got := after(c.after)[c.about]; got != c.want {
			t.Errorf("%s after %s: %s, not %s", c.about, c.after, got, c.want)
		}
	}
	ask = func(context.Context) (bool, string, error) { return false, "other", nil }
	if got := after(0); got["server"] != app.Failure || got["version"] != app.Attention {
		t.Errorf("another version that is not ready: %v", got)
	}
	ask = func(context.Context) (bool, string, error) { return false, "", errors.New("refused") }
	if got := after(0); got["server"] != app.Failure {
		t.Errorf("no server: %v", got)
	}
	if got := after(time.Hour); got["last check"] != app.Attention {
		t.Errorf("what an ended server saw: %v", got)
	}
}

// TestDoctorOfCredentials: the diagnosis logs in with the credentials as they are now, and names those that the
// vault refuses.
func TestDoctorOfCredentials(t *testing.T) {
	t.Parallel()
	settings := vaultserver.Settings(t, vaultserver.Shared(t).Prepared(t))
	ask := func(context.Context) (bool, string, error) { return false, "", errors.New("refused") }
	reached := func() (app.Gravity, string) {
		cfg := onVault(testConfig(t, t.TempDir()), settings)
		for _, f := range app.Doctor(t.Context(), app.Examination{Config: cfg, Ask: ask, Now: time.Now}, nil).Findings {
			if f.About == "vault reached" {
				return f.Gravity, f.Text
			}
		}
		return "", "nothing was said"
	}
	if gravity, text := reached(); gravity != app.Fine {
		t.Errorf("%s: %s", gravity, text)
	}
	settings["VAULT_SECRET_ID"] = "not-this-one"
	if gravity, text := reached(); gravity != app.Failure || !strings.Contains(text, "refuses the server's credentials") {
		t.Errorf("with another secret ID: %s: %s", gravity, text)
	}
}
