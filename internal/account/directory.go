package account

import (
	"context"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/fault"
)

// Errors about the organization that a request names, or about what it places there.
var (
	OrganizationDisabled = fault.Wrong("organization_id", "organization_disabled", "names an organization that is disabled")
	NotOfGlobalAdmin     = fault.Wrong("organization_id", "not_of_global_admin", "must be null or absent for a global_admin")
	NeededByManager      = fault.Wrong("organization_id", "needed_by_manager", "is required for an org_manager")
	EmailOutside         = fault.Wrong("email", "email_outside_domains", "must be in one of the organization's email domains")
)

// UnknownOrganization is the error about a field that names no organization, or one outside scope.
func UnknownOrganization(field string) fault.Field {
	return fault.Wrong(field, "unknown_organization", "is not an organization you manage")
}

// OrganizationDirectory looks up organizations.
type OrganizationDirectory interface {
	// Organization is NotFound outside scope.
	Organization(ctx context.Context, scope access.Scope, id int64) (Organization, error)
}

// NamedOrganization returns the organization that a request names as organization_id.
// Invalid for that field outside scope.
func NamedOrganization(ctx context.Context, d OrganizationDirectory, scope access.Scope, id int64) (Organization, error) {
	o, err := d.Organization(ctx, scope, id)
	if fault.Is(err, fault.NotFound) {
		err = fault.Invalid(UnknownOrganization("organization_id"))
	}
	return o, err
}

// HomeOrganization decides the organization of a new account or key with a role: the one
// that the request names, else the actor's own. It is nil for none, which a
// global admin always has and an org_manager never. Invalid for organization_id
// otherwise, and when the organization is disabled.
func HomeOrganization(
	ctx context.Context, d OrganizationDirectory, a access.Actor, scope access.Scope, role access.Role, id *int64,
) (*Organization, error) {
	if role == access.GlobalAdmin {
		if id != nil {
			return nil, fault.Invalid(NotOfGlobalAdmin)
		}
		return nil, nil
	}
	if id == nil {
		id = a.OrganizationID
	}
	if id == nil {
		if role == access.OrgManager {
			return nil, fault.Invalid(NeededByManager)
		}
		return nil, nil
	}
	o, err := NamedOrganization(ctx, d, scope, *id)
	switch {
	case err != nil:
		return nil, err
	case !o.IsActive:
		return nil, fault.Invalid(OrganizationDisabled)
	}
	return &o, nil
}
