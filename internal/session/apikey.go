package session

import (
	"context"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/page"
)

// APIKey is the record of a key. The key itself is shown once and not stored.
type APIKey struct {
	ID               int64
	Name             string
	Prefix           string // its first characters, by which people recognize it
	Hash             string // hex SHA-256 of the whole key
	Role             access.Role
	Scopes           []access.KeyScope
	OrganizationID   *int64
	OrganizationName string // read only: the store joins it
	CreatedBy        int64  // user id
	CreatedByName    string // read only: the store joins it
	CreatedAt        time.Time
	ExpiresAt        time.Time
	LastUsedAt       *time.Time // to the minute or so
	RevokedAt        *time.Time
}

// APIKeyDependencies is what a key depends on, as currently stored.
type APIKeyDependencies struct {
	CreatorActive         bool
	CreatorRole           access.Role
	CreatorOrganizationID *int64
	OrganizationActive    bool // of the key's organization; true without one
}

// APIKeyFilter narrows a list; zero fields do not filter.
type APIKeyFilter struct {
	ActiveAt  time.Time // only those neither revoked nor expired at that time
	CreatedBy *int64    // user id
}

// APIKeyStore keeps keys.
type APIKeyStore interface {
	// InsertKey sets ID and the names. Invalid for organization_id when there
	// is no such organization.
	InsertKey(ctx context.Context, k APIKey, entry audit.Entry) (APIKey, error)
	// KeyByHash finds a key and what it depends on, in one query. NotFound when
	// there is none. Judging them is left to the caller.
	KeyByHash(ctx context.Context, hash string) (APIKey, APIKeyDependencies, error)
	// Key is NotFound outside scope (Own: its creator's).
	Key(ctx context.Context, scope access.Scope, id int64) (APIKey, error)
	// ListKeys returns the keys in scope, newest first.
	ListKeys(ctx context.Context, scope access.Scope, f APIKeyFilter, p page.Request) (page.Page[APIKey], error)
	// RevokeKey takes effect at once, on every replica. Revoking a key that is
	// revoked or does not exist is no error and writes nothing.
	RevokeKey(ctx context.Context, id int64, at time.Time, entry audit.Entry) error
	// NoteKeyUses sets the last use of keys, by id, where it is later than the recorded one.
	NoteKeyUses(ctx context.Context, uses map[int64]time.Time) error
}
