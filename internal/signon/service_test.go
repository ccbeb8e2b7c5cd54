package signon_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/password"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/session"
	"github.com/keyward/keyward/internal/settings"
	"github.com/keyward/keyward/internal/signon"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/must"
)

// desk is the service on real engines; the test controls the clock and the
// provider's answers. The real provider is in test/oidc.
type desk struct {
	*signon.Service
	t     *testing.T
	db    *store.DB
	now   atomic.Pointer[time.Time]
	says  signon.Identity
	used  string // the client secret that the last round ended with
	full  bool   // settings cannot be stored
	trust bool   // trust_prompt
}

var client = session.Client{IPAddress: "192.0.2.1", UserAgent: "test"}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{t: t, says: signon.Identity{Issuer: "https://id.example.org", Subject: "1",
		Claims: map[string]any{"email": "nina@example.org"}}}
	d.at(time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC))
	now := func() time.Time { return *d.now.Load() }
	dir, log := t.TempDir(), slog.New(slog.NewTextHandler(io.Discard, nil))
	db, kv := engine.Store(t, dir, store.Options{Now: now}), engine.Vault(t, dir, nil)
	d.db = db
	sessions := &session.Service{
		Store: db, Users: db, Audit: db, Signer: &session.Signer{Vault: kv, Now: now}, Policies: password.Fixed(password.DefaultPolicy()),
		Lifetimes: session.Lifetimes{Access: 30 * time.Minute, Session: time.Hour, Refresh: 168 * time.Hour}, Log: log, Now: now,
	}
	d.Service = &signon.Service{
		Settings: d, Store: db, Accounts: &account.Users{Store: db, Organizations: db, Now: now}, Organizations: db, Audit: db,
		Sessions: sessions, Provider: d, Vault: kv, SiteURL: "https://keyward.example.org", Log: log, Now: now,
	}
	d.change("first secret")
	return d
}

func (d *desk) at(now time.Time)         { d.now.Store(&now) }
func (d *desk) later(span time.Duration) { d.at(d.Now().Add(span)) }

func (d *desk) Setting(ctx context.Context, name string) (settings.Value, error) {
	return d.db.Setting(ctx, name)
}

var errFull = errors.New("the disk is full")

func (d *desk) PutSetting(ctx context.Context, name string, v settings.Value, entries ...audit.Entry) error {
	if d.full {
		return errFull
	}
	return d.db.PutSetting(ctx, name, v, entries...)
}

func (d *desk) Discover(context.Context, string) error { return nil }

func (d *desk) AuthorizationURL(_ context.Context, c signon.Client, r signon.Round) (string, error) {
	return c.Issuer + "/auth?state=" + r.State, nil
}

func (d *desk) Identify(_ context.Context, c signon.Client, _ signon.Round, _ string, _ []string) (signon.Identity, error) {
	d.used = c.Secret.Reveal()
	return d.says, nil
}

func (d *desk) EndSessionURL(context.Context, signon.Client, string) (string, error) { return "", nil }

func (d *desk) put(clientSecret *secret.String) error {
	d.t.Helper()
	s := signon.DefaultSettings()
	s.Enabled, s.Issuer, s.ClientID, s.DefaultRole, s.TrustPrompt = true, d.says.Issuer, "keyward", access.User, d.trust
	_, err := d.Change(d.t.Context(), access.Actor{Username: "admin"}, s, clientSecret)
	return err
}

func (d *desk) change(clientSecret string) {
	d.t.Helper()
	value := secret.New(clientSecret)
	must.OK(d.t, d.put(&value))
}

// begin begins a round and returns its state and the browser's secret.
func (d *desk) begin(reauthenticate bool) (state string, browser secret.String) {
	d.t.Helper()
	begun := must.Get(d.Start(d.t.Context(), client, secret.String{}, "/", reauthenticate))(d.t)
	u := must.Get(url.Parse(begun.URL))(d.t)
	return u.Query().Get("state"), begun.Browser
}

// end ends a round; the reason is empty on success.
func (d *desk) end(state string, browser secret.String) (signon.Ended, signon.Reason) {
	d.t.Helper()
	ended, err := d.Callback(d.t.Context(), client, signon.Answer{State: state, Code: "code"}, browser)
	if refusal, ok := errors.AsType[*signon.Refusal](err); ok {
		return ended, refusal.Reason
	}
	if err != nil {
		d.t.Fatal(err)
	}
	return ended, ""
}

// TestProviderRefuses: the provider's error is logged, as far as it fits one line.
func TestProviderRefuses(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, c := range []struct {
		answer signon.Answer
		reason signon.Reason
		logged string
	}{
		{signon.Answer{Error: "invalid_scope", Description: `Unrecognized scope(s) ["groups"]`}, signon.Rejected,
			`the provider answered invalid_scope: Unrecognized scope(s) ["groups"]`},
		{signon.Answer{Error: "access_denied", Description: "AADSTS50105: not assigned\r\nto a role\x1b[2J"}, signon.Cancelled,
			"the provider answered access_denied: AADSTS50105: not assigned??to a role?[2J"},
		{signon.Answer{Error: "server_error"}, signon.Rejected, "the provider answered server_error"},
		{signon.Answer{Error: "x", Description: strings.Repeat("é", 9000)}, signon.Rejected,
			"the provider answered x: " + strings.Repeat("é", 297)},
		{signon.Answer{}, signon.Rejected, "the provider answered with neither a code nor an error"},
	} {
		var log bytes.Buffer
		d.Log = slog.New(slog.NewJSONHandler(&log, nil))
		state, browser := d.begin(false)
		c.answer.State = state
		_, err := d.Callback(t.Context(), client, c.answer, browser)
		var line struct{ Error, Reason string }
		must.OK(t, json.Unmarshal(log.Bytes(), &line))
		if refusal, _ := errors.AsType[*signon.Refusal](err); refusal == nil || refusal.Reason != c.reason ||
			line.Reason != string(c.reason) || line.Error != c.logged {
			t.Errorf("%v, %+v", err, line)
		}
	}
}

func TestLifetimes(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, c := range []struct {
		wait time.Duration
		want signon.Reason
	}{{signon.StateLife - time.Second, ""}, {signon.StateLife, signon.StateInvalid}} {
		state, browser := d.begin(false)
		d.later(c.wait)
		if _, reason := d.end(state, browser); reason != c.want {
			t.Errorf("a round of %v: %q, want %q", c.wait, reason, c.want)
		}
	}
	for _, c := range []struct {
		wait time.Duration
		want fault.Code
	}{{signon.CodeLife - time.Second, ""}, {signon.CodeLife, fault.TokenExpired}} {
		state, browser := d.begin(false)
		ended, _ := d.end(state, browser)
		d.later(c.wait)
		if _, err := d.Exchange(t.Context(), client, ended.Code, browser, ""); fault.CodeOf(err) != c.want {
			t.Errorf("a code after %v: %v, want %q", c.wait, err, c.want)
		}
	}
	state, browser := d.begin(true)
	d.says.AuthTime = d.Now()
	ended, _ := d.end(state, browser)
	d.later(signon.CodeLife)
	if _, _, err := d.Redeem(t.Context(), client, ended.Code, browser); !fault.Is(err, fault.TokenExpired) {
		t.Errorf("a proof after a minute: %v", err)
	}
}

// TestFreshness: a proof must be of this round; an old one makes no session recent.
func TestFreshness(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for name, c := range map[string]struct {
		told time.Duration // after the start of the round
		want signon.Reason
	}{
		"this round": {time.Second, ""}, "a slow clock": {-30 * time.Second, ""}, "a round before": {-31 * time.Second, signon.NotFresh},
		"yesterday": {-24 * time.Hour, signon.NotFresh},
	} {
		_, _ = d.end(d.begin(false)) // the account
		state, browser := d.begin(true)
		d.says.AuthTime = d.Now().Add(c.told)
		if _, reason := d.end(state, browser); reason != c.want {
			t.Errorf("%s: %q, want %q", name, reason, c.want)
		}
	}
	state, browser := d.begin(true)
	d.says.AuthTime = time.Time{}
	if _, reason := d.end(state, browser); reason != signon.NotFresh {
		t.Errorf("a provider that does not tell: %q; it may have asked for nothing", reason)
	}
	for name, c := range map[string]struct{ told, want time.Time }{
		"not told":           {time.Time{}, time.Time{}},
		"an hour ago":        {d.Now().Add(-time.Hour), d.Now().Add(-time.Hour)},
		"by a clock of 2100": {time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC), d.Now()},
	} {
		d.says.AuthTime = c.told
		state, browser := d.begin(false)
		ended, _ := d.end(state, browser)
		g, err := d.Exchange(t.Context(), client, ended.Code, browser, "")
		if err != nil || !g.Session.AuthenticatedAt.Equal(c.want) || g.Session.AuthMethod != session.OIDC {
			t.Errorf("%s: %v %s %v, want %v", name, g.Session.AuthenticatedAt, g.Session.AuthMethod, err, c.want)
		}
	}
}

// TestTrustedPrompt: a provider trusted to obey prompt=login needs no auth_time
// in a round of reauthentication, which then counts from now. An ordinary
// sign-in, which sends no prompt, still proves nothing.
func TestTrustedPrompt(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.trust = true
	must.OK(t, d.put(nil))
	d.says.AuthTime = time.Time{}
	state, browser := d.begin(false)
	ended, _ := d.end(state, browser)
	g := must.Get(d.Exchange(t.Context(), client, ended.Code, browser, ""))(t)
	if !g.Session.AuthenticatedAt.IsZero() {
		t.Errorf("an ordinary sign-in counts from %v", g.Session.AuthenticatedAt)
	}
	state, browser = d.begin(true)
	ended, reason := d.end(state, browser)
	if _, at, err := d.Redeem(t.Context(), client, ended.Code, browser); reason != "" || err != nil || !at.Equal(d.Now()) {
		t.Errorf("a fresh round counts from %v: %q %v", at, reason, err)
	}
	d.says.AuthTime = d.Now().Add(-time.Hour)
	if _, reason := d.end(d.begin(true)); reason != signon.NotFresh {
		t.Errorf("a round that tells of an hour ago: %q", reason)
	}
}

// TestSecretAndSettings share no transaction: wherever a crash falls between
// the two, the settings name the secret in force.
func TestSecretAndSettings(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	used := func(want string) {
		t.Helper()
		state, browser := d.begin(false)
		if _, reason := d.end(state, browser); reason != "" || d.used != want {
			t.Errorf("%q: the round ended with %q, want %q", reason, d.used, want)
		}
	}
	used("first secret")
	d.full = true
	for range 9 { // more often than the vault keeps secrets
		value := secret.New("never in force")
		if err := d.put(&value); !errors.Is(err, errFull) {
			t.Fatalf("%v, want that the settings are not stored", err)
		}
	}
	d.full = false
	used("first secret")
	must.OK(t, d.put(nil))
	used("first secret")
	for range 9 {
		d.change("second secret")
	}
	used("second secret")
	v, err := d.Vault.Get(t.Context(), "oidc_settings/client_secret")
	var kept struct{ Secrets []any }
	if err == nil {
		err = json.Unmarshal(v.Data, &kept)
	}
	if n := len(kept.Secrets); err != nil || n == 0 || n > 4 {
		t.Errorf("the vault keeps %d secrets %v", n, err)
	}
	d.change("")
	used("")
	stored, err := d.db.Setting(t.Context(), "oidc")
	if err != nil || strings.Contains(stored.Text, "secret\":\"") {
		t.Errorf("the row: %s %v", stored.Text, err)
	}
}

func TestCleanUp(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	state, browser := d.begin(false)
	ended, _ := d.end(state, browser)
	must.Get(d.Exchange(t.Context(), client, ended.Code, browser, ""))(t)
	d.later(signon.KeepCodes) // a replay is still recognized
	must.OK(t, d.CleanUp(t.Context()))
	_, err := d.Exchange(t.Context(), client, ended.Code, browser, "")
	details := func() string {
		p := must.Get(d.db.AuditAfter(t.Context(), 0, 500))(t)
		return p[len(p)-1].Details
	}
	if !fault.Is(err, fault.TokenInvalid) || details() != "method oidc: one-time code used again" {
		t.Errorf("a replay within a week: %v, audited as %q", err, details())
	}
	d.later(2 * signon.CodeLife)
	must.OK(t, d.CleanUp(t.Context()))
	_, err = d.Exchange(t.Context(), client, ended.Code, browser, "")
	if !fault.Is(err, fault.TokenInvalid) || details() != "method oidc: unknown one-time code" {
		t.Errorf("a replay after it: %v, audited as %q", err, details())
	}
}
