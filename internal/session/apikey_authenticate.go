package session

import (
	"context"
	"encoding/base64"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/secret"
)

// APIKeyActorPrefix begins the actor name of a key. No username contains a colon.
const APIKeyActorPrefix = "api-key:"

// IsAPIKey reports whether a bearer is meant as an API key. Authenticate refuses
// what only looks like one.
func IsAPIKey(bearer string) bool { return strings.HasPrefix(bearer, APIKeyPrefix) }

// UnknownAPIKey is the error for a key that does not exist.
var UnknownAPIKey = fault.New(fault.TokenInvalid, "api_key", "The API key is not valid. Ask for a new one.")

// Authenticate makes checks 1 to 3 of the specification for a key, in order:
// the key is known, neither revoked nor expired (1); it has no session (2); its
// creator is active and may still do as much (3). TokenInvalid, TokenExpired,
// AccountDisabled otherwise.
func (s *APIKeys) Authenticate(ctx context.Context, bearer string) (access.Actor, error) {
	if !wellFormed(bearer) {
		return access.Actor{}, UnknownAPIKey
	}
	k, standing, err := s.Store.KeyByHash(ctx, secret.New(bearer).Hash())
	if fault.Is(err, fault.NotFound) {
		return access.Actor{}, UnknownAPIKey
	}
	if err != nil {
		return access.Actor{}, err
	}
	now := s.Now()
	if err := k.MayAct(standing, now); err != nil {
		return access.Actor{}, err
	}
	s.uses.note(k, now)
	return access.Actor{
		APIKeyID: k.ID, Username: APIKeyActorPrefix + k.Name, Role: k.Role, KeyScopes: k.Scopes, OrganizationID: k.OrganizationID,
	}, nil
}

func wellFormed(bearer string) bool {
	text, ok := strings.CutPrefix(bearer, APIKeyPrefix)
	if !ok || len(text) != keyChars {
		return false
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	return err == nil && len(raw) == secret.RandomBytes
}

// MayAct returns nil if the key may be used at that time. TokenInvalid,
// TokenExpired, AccountDisabled otherwise.
func (k APIKey) MayAct(s APIKeyDependencies, now time.Time) error {
	switch {
	case k.RevokedAt != nil:
		return fault.New(fault.TokenInvalid, "api_key_revoked", "This API key was revoked. Ask for a new one.")
	case !now.Before(k.ExpiresAt):
		return fault.New(fault.TokenExpired, "api_key_expired", "This API key has expired. Ask for a new one.")
	case !s.CreatorActive:
		return fault.New(fault.AccountDisabled, "api_key_maker",
			"The account that created this API key is disabled. Ask an administrator for a new key.")
	case !s.covers(k):
		return fault.New(fault.AccountDisabled, "api_key_maker_role",
			"The account that created this API key no longer has the rights of the key. Ask an administrator for a new key.")
	case !s.OrganizationActive:
		return fault.New(fault.AccountDisabled, "api_key_organization", "The organization of this API key is disabled. Ask an administrator.")
	}
	return nil
}

// covers reports whether the creator could make this key today.
func (s APIKeyDependencies) covers(k APIKey) bool {
	switch s.CreatorRole {
	case access.GlobalAdmin:
		return k.Role.Valid()
	case access.OrgManager:
		return (k.Role == access.OrgManager || k.Role == access.User) && k.OrganizationID != nil &&
			s.CreatorOrganizationID != nil && *k.OrganizationID == *s.CreatorOrganizationID
	default:
		return false
	}
}
