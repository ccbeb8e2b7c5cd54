// Package access says who may do what. One table (table.go) defines the reach
// of each role for every operation of api/backend.yaml; Can turns actor and
// operation into a Scope, by which every query of the store is filtered.
package access

import (
	"slices"
	"time"

	"github.com/keyward/keyward/internal/fault"
)

// Role is one of the three roles of the specification.
type Role string

// The roles.
const (
	GlobalAdmin Role = "global_admin"
	OrgManager  Role = "org_manager"
	User        Role = "user"
)

// Roles lists all three.
var Roles = []Role{GlobalAdmin, OrgManager, User}

// Valid reports whether r is one of the three roles.
func (r Role) Valid() bool { return slices.Contains(Roles, r) }

// Actor is who acts, as currently stored in the database; the claims of a token
// never decide. The zero Actor is nobody.
type Actor struct {
	UserID          int64
	Username        string
	Role            Role
	OrganizationID  *int64
	SessionID       int64      // zero for an API key
	APIKeyID        int64      // zero for a person
	KeyScopes       []KeyScope // of an API key
	AuthenticatedAt time.Time  // when the person last proved their identity, in this session
	Hostname        string     // of the workstation, if its agent reported it
	IPAddress       string
	UserAgent       string
	RequestID       string
}

// Known reports whether the actor is a person who is signed in, or an API key.
func (a Actor) Known() bool { return a.UserID != 0 || a.APIKeyID != 0 }

// Reach is how far an operation extends for a role.
type Reach int

// Reaches, from nothing to everything.
const (
	None         Reach = iota
	Own                // rows of the actor's own user id; an API key has none
	Organization       // rows of the actor's own organization
	Everything         // no filter
)

// Scope filters rows. The zero Scope lets nothing through.
type Scope struct {
	Reach          Reach
	OrganizationID int64 // with Organization
	UserID         int64 // with Own; with Organization the actor's own id
}

// All is the scope of the server itself and of a global admin.
func All() Scope { return Scope{Reach: Everything} }

// SameID compares ids of accounts or organizations; nil is none.
func SameID(a, b *int64) bool { return (a == nil) == (b == nil) && (a == nil || *a == *b) }

// Allows reports whether a row of that organization and owner is in scope.
func (s Scope) Allows(organizationID, ownerID *int64) bool {
	switch s.Reach {
	case Everything:
		return true
	case Organization:
		return organizationID != nil && *organizationID == s.OrganizationID
	case Own:
		return ownerID != nil && s.UserID != 0 && *ownerID == s.UserID
	default:
		return false
	}
}

// Can returns the rows on which the actor may do the operation.
// PermissionDenied if none, and for an operation without a row in the table.
func Can(a Actor, op Operation) (Scope, error) {
	reach := table[op].reach(a.Role)
	denied := fault.New(fault.PermissionDenied, "role", "Your role doesn't allow this. Ask an administrator.")
	if a.APIKeyID != 0 && !table[op].Keys {
		return Scope{}, fault.New(fault.PermissionDenied, "api_key", "An API key can't do this. Sign in as a person.")
	}
	if a.APIKeyID != 0 && !table[op].opens(a.KeyScopes) {
		return Scope{}, fault.New(fault.PermissionDenied, "api_key_scope",
			"This API key's scopes don't allow this. Use a key with another scope.")
	}
	switch reach {
	case Everything:
		return Scope{Reach: Everything, UserID: a.UserID}, nil
	case Organization:
		if a.OrganizationID == nil {
			return Scope{}, denied
		}
		return Scope{Reach: Organization, OrganizationID: *a.OrganizationID, UserID: a.UserID}, nil
	case Own:
		return Scope{Reach: Own, UserID: a.UserID}, nil
	default:
		return Scope{}, denied
	}
}

// RecentFor is how long a proof of identity counts as recent (contract,
// POST /api/auth/reauthenticate).
const RecentFor = 10 * time.Minute

// Recently returns ReauthenticationRequired when the actor last proved their
// identity longer ago than RecentFor.
func Recently(a Actor, now time.Time) error {
	if now.Sub(a.AuthenticatedAt) <= RecentFor {
		return nil
	}
	return fault.New(fault.ReauthenticationRequired, "", "Confirm that it is you (POST /api/auth/reauthenticate), then repeat this.")
}

// NeedsRecent reports whether an operation demands recent authentication.
func NeedsRecent(op Operation) bool { return table[op].Recent }
