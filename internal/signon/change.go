package signon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/settings"
	"github.com/keyward/keyward/internal/textinput"
)

// Change replaces the settings. A nil clientSecret keeps the secret, an empty
// one removes it. If single sign-on is to be on, the provider is contacted
// first: settings that cannot work are refused, naming the field, and nothing
// changes. If off, they are saved whatever the provider does.
func (s *Service) Change(ctx context.Context, a access.Actor, next Settings, clientSecret *secret.String) (Settings, error) {
	before, err := s.Load(ctx)
	if err != nil {
		return Settings{}, err
	}
	next.SecretID = before.SecretID
	bad := next.check()
	moved := next.Issuer != before.Issuer || next.ClientID != before.ClientID
	if clientSecret == nil && before.SecretID != "" && moved {
		// Otherwise anyone allowed to change settings could have the secret
		// sent to a server of their own.
		bad = append(bad, fault.Wrong("client_secret", "needed_again", "must be given again when issuer or client_id changes (empty for none)"))
	}
	if clientSecret != nil && !textinput.ValidLine(clientSecret.Reveal(), 2*maxText) {
		bad = append(bad, fault.BadText("client_secret", 2*maxText))
	}
	if len(bad) == 0 {
		bad, err = s.unknownOrganizations(ctx, next)
		if err != nil {
			return Settings{}, err
		}
	}
	if len(bad) > 0 {
		return Settings{}, fault.Invalid(bad...)
	}
	if next.Enabled {
		if err := s.discover(ctx, next.Issuer); err != nil {
			return Settings{}, err
		}
	}
	if clientSecret != nil {
		next.SecretID = ""
		if !clientSecret.Empty() {
			if next.SecretID, err = s.keep().Put(ctx, *clientSecret, before.SecretID); err != nil {
				return Settings{}, err
			}
		}
	}
	return next, s.store(ctx, a, before, next)
}

// secretPath is the client secrets' path in the vault. The underscore keeps it
// apart from token serials.
const secretPath = "oidc_settings/client_secret"

func (s *Service) keep() settings.SecretSlot {
	return settings.SecretSlot{Vault: s.Vault, Path: secretPath, Now: s.Now}
}

func (s *Service) store(ctx context.Context, a access.Actor, before, next Settings) error {
	raw, err := json.Marshal(next)
	if err != nil {
		return fmt.Errorf("settings of single sign-on: %w", err)
	}
	changed := "nothing"
	if names := before.changes(next); len(names) > 0 {
		changed = strings.Join(names, ", ")
	}
	entry := audit.By(a, audit.SettingsChanged, "settings", settingName, "changed: "+changed)
	return s.Settings.PutSetting(ctx, settingName, settings.Value{Text: string(raw), UpdatedAt: s.Now()}, entry)
}

func (s *Service) discover(ctx context.Context, issuer string) error {
	err := s.Provider.Discover(ctx, issuer)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrUnavailable):
		return fault.Invalid(fault.Wrong("issuer", "provider_silent",
			"names a provider that doesn't respond at /.well-known/openid-configuration")).With(err)
	default:
		return fault.Invalid(fault.Wrong("issuer", "provider_unusable",
			"names a provider that can't be used: it must name the same issuer, and https addresses")).With(err)
	}
}

func (s *Service) unknownOrganizations(ctx context.Context, next Settings) ([]fault.Field, error) {
	named := next.organizations()
	for _, id := range slices.Sorted(maps.Keys(named)) {
		_, err := s.Organizations.Organization(ctx, access.All(), id)
		if fault.Is(err, fault.NotFound) {
			return []fault.Field{account.UnknownOrganization(named[id])}, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, nil
}
