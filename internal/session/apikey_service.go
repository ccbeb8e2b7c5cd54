package session

import (
	"context"
	"fmt"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/textinput"
)

// APIKeyPrefix begins every key. It tells a key from an access token, and identifies
// the key to secret scanners.
const APIKeyPrefix = "keyward_"

// Lifetimes of a key.
const (
	DefaultAPIKeyLifetime = 90 * 24 * time.Hour
	MaxAPIKeyLifetime     = 400 * 24 * time.Hour
)

const (
	keyChars    = 43 // of base64url without padding
	shownChars  = 6  // of the key, kept in Prefix: 36 of its 256 bits
	maxNameRune = 64
)

// APIKeys is the domain's face to the edges.
type APIKeys struct {
	Store         APIKeyStore
	Organizations account.OrganizationDirectory
	Now           func() time.Time

	uses uses
}

// APIKeyRequest is a key to create.
type APIKeyRequest struct {
	Name           string
	Role           access.Role
	Scopes         []access.KeyScope // none: all
	OrganizationID *int64
	ExpiresAt      *time.Time // nil: after DefaultAPIKeyLifetime
}

// Create creates a key and returns it, this once, with its record. A manager
// creates keys of the roles user and org_manager for their own organization.
func (s *APIKeys) Create(ctx context.Context, a access.Actor, scope access.Scope, in APIKeyRequest) (APIKey, secret.String, error) {
	now := s.Now()
	in.Name = norm.NFC.String(strings.TrimSpace(in.Name))
	if len(in.Scopes) == 0 {
		in.Scopes = []access.KeyScope{access.KeyAll}
	}
	if bad := apiKeyCheck(in, now); len(bad) > 0 {
		return APIKey{}, secret.String{}, fault.Invalid(bad...)
	}
	if in.Role == access.GlobalAdmin && scope.Reach != access.Everything {
		return APIKey{}, secret.String{}, fault.New(fault.PermissionDenied, "api_key_role",
			"Only a global administrator can create a key with that role. Ask one.")
	}
	home, err := account.HomeOrganization(ctx, s.Organizations, a, scope, in.Role, in.OrganizationID)
	if err != nil {
		return APIKey{}, secret.String{}, err
	}
	var organizationID *int64
	if home != nil {
		organizationID = &home.ID
	}
	random, err := secret.Random()
	if err != nil {
		return APIKey{}, secret.String{}, err
	}
	text := APIKeyPrefix + random.Reveal()
	key := secret.New(text)
	k := APIKey{
		Name: in.Name, Prefix: text[:len(APIKeyPrefix)+shownChars], Hash: key.Hash(), Role: in.Role, Scopes: in.Scopes,
		OrganizationID: organizationID, CreatedBy: a.UserID, CreatedAt: now, ExpiresAt: now.Add(DefaultAPIKeyLifetime),
	}
	if in.ExpiresAt != nil {
		k.ExpiresAt = *in.ExpiresAt
	}
	scopes := strings.Trim(fmt.Sprint(k.Scopes), "[]")
	details := fmt.Sprintf("name %s, role %s, scopes %s, expires %s", k.Name, k.Role, scopes, k.ExpiresAt.UTC().Format(time.RFC3339))
	k, err = s.Store.InsertKey(ctx, k, audit.By(a, audit.APIKeyCreated, "api_key", "", details).In(organizationID))
	if err != nil {
		return APIKey{}, secret.String{}, err
	}
	return k, key, nil
}

func apiKeyCheck(in APIKeyRequest, now time.Time) []fault.Field {
	var bad []fault.Field
	if in.Name == "" || !textinput.ValidLine(in.Name, maxNameRune) {
		bad = append(bad, fault.BadName("name", maxNameRune))
	}
	if !in.Role.Valid() {
		bad = append(bad, fault.NotOneOf("role", access.Roles...))
	}
	if wrong := access.CheckKeyScopes(in.Role, in.Scopes); wrong != nil {
		bad = append(bad, *wrong)
	}
	if in.Role == access.GlobalAdmin && in.OrganizationID != nil {
		bad = append(bad, account.NotOfGlobalAdmin)
	}
	if in.ExpiresAt != nil && (!in.ExpiresAt.After(now) || in.ExpiresAt.After(now.Add(MaxAPIKeyLifetime))) {
		bad = append(bad, fault.Wrongf("expires_at", "bad_expiry",
			"must be in the future, at most {max_days} days ahead", fault.Params{"max_days": int(MaxAPIKeyLifetime / (24 * time.Hour))}))
	}
	return bad
}

// List returns the keys in scope, newest first, including revoked and expired
// ones unless active is set. by selects a creator; nil: all.
func (s *APIKeys) List(ctx context.Context, scope access.Scope, active bool, by *int64, p page.Request) (page.Page[APIKey], error) {
	f := APIKeyFilter{CreatedBy: by}
	if active {
		f.ActiveAt = s.Now()
	}
	return s.Store.ListKeys(ctx, scope, f, p)
}

// Revoke ends a key at once. NotFound outside scope; revoking a revoked key changes nothing.
func (s *APIKeys) Revoke(ctx context.Context, a access.Actor, scope access.Scope, id int64) error {
	k, err := s.Store.Key(ctx, scope, id)
	if err != nil {
		return err
	}
	entry := audit.By(a, audit.APIKeyRevoked, "api_key", audit.ID(id), "name "+k.Name).In(k.OrganizationID)
	return s.Store.RevokeKey(ctx, id, s.Now(), entry)
}
