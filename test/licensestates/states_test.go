package main

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/license"
	"github.com/keyward/keyward/internal/license/licensetest"
	"github.com/keyward/keyward/internal/license/remote"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/test/must"
)

// TestMemory: this vault keeps a license like a real one.
func TestMemory(t *testing.T) {
	t.Parallel()
	licensetest.Run(t, func(_ *testing.T, keys license.Keys, now func() time.Time) license.Port {
		return &license.Service{Vault: (*memory)(nil).anew(), Keys: keys, Log: slog.New(slog.DiscardHandler), Now: now}
	})
}

// TestStates: each state can be reached, twice and in any order, always with the same
// installation.
func TestStates(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(must.Get(newHandler(t.Context()))(t))
	t.Cleanup(s.Close)
	port := must.Get(remote.New(remote.Options{
		URL: s.URL, Token: secret.Fixed(Token), Log: slog.New(slog.DiscardHandler),
	}))(t)
	t.Cleanup(port.Close)
	ask := func(method, path, body string) (status int, answer []byte) {
		t.Helper()
		req := must.Get(http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(body)))(t)
		res := must.Get(http.DefaultClient.Do(req))(t)
		answer = must.Get(io.ReadAll(res.Body))(t)
		must.OK(t, res.Body.Close())
		return res.StatusCode, answer
	}
	first := must.Get(port.Status(t.Context()))(t)
	for range 2 {
		for name := range histories {
			if status, answer := ask(http.MethodPut, "/test/state", name); status != http.StatusNoContent {
				t.Fatalf("%s: %d %s", name, status, answer)
			}
			want, days := license.Status(name), 0
			switch name {
			case "TRIAL":
				days = 18
			case "TRIAL_OVER":
				want = license.Expired
			case "VALID":
				days = 265
			case "EXPIRING":
				days = 5
			}
			is := must.Get(port.Status(t.Context()))(t)
			if is.Status != want || is.DaysRemaining != days || is.ClockBehind || is.InstallationID != first.InstallationID {
				t.Errorf("%s: %+v", name, is)
			}
		}
	}
	if status, answer := ask(http.MethodPut, "/test/state", "FREE"); status != http.StatusBadRequest {
		t.Errorf("%d %s", status, answer)
	}
	ask(http.MethodPut, "/test/state", "TRIAL_OVER")
	_, file := ask(http.MethodGet, "/test/license?from=-1&to=20", "")
	if is, err := port.Upload(t.Context(), file, false); err != nil || is.Status != license.Valid || is.DaysRemaining != 20 {
		t.Errorf("%+v, %v", is, err)
	}
	_, file = ask(http.MethodGet, "/test/license?from=-2&to=20", "")
	_, err := port.Upload(t.Context(), file, false)
	if rejected, ok := errors.AsType[*license.Rejected](err); !ok || rejected.Reason != license.ReasonOlder {
		t.Errorf("%v", err)
	}
}
