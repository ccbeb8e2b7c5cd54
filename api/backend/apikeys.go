package backend

import (
	"time"
)

// APIKey is a key as the API shows it: without the key.
type APIKey struct {
	ID               int64         `json:"id"`
	Name             string        `json:"name"`
	Prefix           string        `json:"prefix" doc:"the first characters of the key, to recognise it by"`
	Role             string        `json:"role" enum:"global_admin,org_manager,user"`
	Scopes           []string      `json:"scopes" nullable:"false" enum:"all,read,monitor,inventory" doc:"what it may do of what its role may"`
	OrganizationID   *int64        `json:"organization_id" nullable:"true"`
	OrganizationName string        `json:"organization_name" doc:"empty without an organization"`
	CreatedBy        APIKeyCreator `json:"created_by" doc:"the key works as long as this account is active and has at least the same rights"`
	CreatedAt        time.Time     `json:"created_at"`
	ExpiresAt        time.Time     `json:"expires_at"`
	LastUsedAt       *time.Time    `json:"last_used_at" nullable:"true" doc:"to about a minute"`
	RevokedAt        *time.Time    `json:"revoked_at" nullable:"true"`
}

// APIKeyCreator is the account that made a key.
type APIKeyCreator struct {
	ID       int64  `json:"id"`
	Username string `json:"username"`
}

// CreatedAPIKey is the answer to the creation of a key, the only one that holds
// the key itself.
type CreatedAPIKey struct {
	APIKey
	Key string `json:"key" doc:"the key, for Authorization: Bearer; it is shown this once"`
}

// NewAPIKey is a key to make.
type NewAPIKey struct {
	Name           string     `json:"name" minLength:"1" maxLength:"256" doc:"1 to 64 characters; shown in the audit log"`
	Role           string     `json:"role" enum:"global_admin,org_manager,user"`
	Scopes         []string   `json:"scopes,omitempty" enum:"all,read,monitor,inventory" minItems:"1" maxItems:"4" doc:"all, or some of: read (whatever changes nothing), monitor (how the system is), inventory (tokens, certificates, people, organizations); absent: all"`
	OrganizationID *int64     `json:"organization_id,omitempty" nullable:"true" minimum:"1" doc:"absent: the caller's own; a global_admin has none"`
	ExpiresAt      *time.Time `json:"expires_at,omitempty" nullable:"true" doc:"at most 400 days ahead; absent: in 90 days"`
}
