package signon

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/session"
	"github.com/keyward/keyward/internal/settings"
	"github.com/keyward/keyward/internal/vault"
)

// settingName is the row that holds the settings.
const settingName = "oidc"

// CallbackPath is where the provider sends the browser back to.
const CallbackPath = "/api/auth/oidc/callback"

// Sessions begins sessions of people that someone else vouches for.
type Sessions interface {
	// BeginFederated consumes the code; Conflict when it was used before.
	BeginFederated(ctx context.Context, c session.Client, f session.Federated, machineID string) (session.Grant, error)
}

// Accounts changes accounts within the role invariants: Conflict when no active
// global admin would remain.
type Accounts interface {
	Update(ctx context.Context, a access.Actor, scope access.Scope, id int64, p account.UserPatch) (account.Changed, error)
}

// Service is the domain's face to the edges.
type Service struct {
	Settings      settings.Store
	Store         Store
	Accounts      Accounts
	Organizations account.OrganizationDirectory
	Audit         audit.Store
	Sessions      Sessions
	Provider      Provider
	Vault         vault.KV
	SiteURL       string // public base URL, without a trailing slash
	// Grows, when not nil, is LicenseRestricted while no account may be added.
	Grows func(ctx context.Context) error
	Log   *slog.Logger
	Now   func() time.Time
}

// Load returns the current settings.
func (s *Service) Load(ctx context.Context) (Settings, error) {
	v, err := s.Settings.Setting(ctx, settingName)
	switch {
	case fault.Is(err, fault.NotFound):
		return DefaultSettings(), nil
	case err != nil:
		return Settings{}, err
	}
	return decodeSettings(v.Text)
}

// LocalLogin reports whether people may sign in with passwords, too. Global admins always may.
func (s *Service) LocalLogin(ctx context.Context) (bool, error) {
	set, err := s.Load(ctx)
	return set.AllowLocal(), err
}

// AllowLocal reports whether people may sign in with passwords: always, if
// nothing else is enabled.
func (s Settings) AllowLocal() bool { return s.LocalLogin || !s.Enabled }

// client returns Keyward as the configured provider knows it, without the
// secret, which only the end of a round needs.
func (s *Service) client(set Settings) Client {
	return Client{Issuer: set.Issuer, ID: set.ClientID, Scopes: set.Scopes, RedirectURL: s.SiteURL + CallbackPath}
}

// Begun is a round in progress.
type Begun struct {
	URL     string        // of the provider
	Browser secret.String // for the browser to keep
}

// Start begins a round. browser is the secret that the browser already has,
// perhaps from a round in another tab, or empty. Errors: *Refusal with Disabled
// or ProviderUnavailable.
func (s *Service) Start(ctx context.Context, c session.Client, browser secret.String, returnTo string, reauthenticate bool) (Begun, error) {
	set, err := s.Load(ctx)
	if err != nil {
		return Begun{}, err
	}
	if !set.Enabled {
		return Begun{}, refuse(Disabled, nil)
	}
	if !wellFormed(browser.Reveal()) {
		fresh, err := secret.Random()
		if err != nil {
			return Begun{}, err
		}
		browser = fresh
	}
	random, err := secret.Random()
	if err != nil {
		return Begun{}, err
	}
	state := random.Reveal()
	address, err := s.Provider.AuthorizationURL(ctx, s.client(set), round(browser, state, reauthenticate))
	if err != nil {
		s.Log.Warn("single sign-on: cannot start a sign-in", "error", err, "request_id", c.RequestID)
		return Begun{}, refuse(ProviderUnavailable, err)
	}
	now := s.Now()
	err = s.Store.AddState(ctx, State{
		Hash: random.Hash(), BrowserHash: browser.Hash(), Issuer: set.Issuer, ReturnTo: LocalPath(returnTo),
		Reauthenticate: reauthenticate, CreatedAt: now, ExpiresAt: now.Add(StateLife),
	})
	return Begun{URL: address, Browser: browser}, err
}

// Ask fetches the provider's description, which every sign-in needs; on reports
// whether single sign-on is enabled.
func (s *Service) Ask(ctx context.Context) (on bool, err error) {
	set, err := s.Load(ctx)
	if err != nil || !set.Enabled {
		return set.Enabled, err
	}
	return true, s.Provider.Discover(ctx, set.Issuer)
}

// LogoutURL returns where the page of an OIDC session goes next to sign out at
// the provider, or "". An unreachable provider does not hold up a logout.
func (s *Service) LogoutURL(ctx context.Context) string {
	set, err := s.Load(ctx)
	if err != nil || !set.Enabled || !set.LogoutAtProvider {
		return ""
	}
	address, err := s.Provider.EndSessionURL(ctx, s.client(set), s.SiteURL+"/login")
	if err != nil {
		s.Log.Warn("single sign-on: cannot sign out at the provider", "error", err)
		return ""
	}
	return address
}

// CleanUp removes rounds and codes whose time is long over.
func (s *Service) CleanUp(ctx context.Context) error {
	const batch = 500
	for {
		now := s.Now()
		n, err := s.Store.DeleteExpiredSignOns(ctx, now, now.Add(-KeepCodes), batch)
		if err != nil {
			return fmt.Errorf("clean up rounds of single sign-on: %w", err)
		}
		if n < batch {
			return nil
		}
	}
}
