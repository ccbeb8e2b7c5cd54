package account

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
)

// OrganizationChange is what to write to an organization. Without entries nothing is
// written, so that no change goes unaudited.
type OrganizationChange struct {
	Organization Organization // as it is to become
	At           time.Time    // becomes updated_at
	Entries      []audit.Entry
	// EndSessions, when set, ends every session and refresh family of the
	// members. Each live session gets this entry, with its own id.
	EndSessions *audit.Entry
}

// OrganizationPatch is what a PATCH requests; nil is unchanged.
type OrganizationPatch struct {
	Name         *string
	IsActive     *bool
	EmailDomains *[]string // empty: any
	UPNSuffixes  *[]string
	// KerberosRealm empty: the installation's.
	KerberosRealm *string
}

// Update changes an organization. Disabling it ends its members' sessions in
// the same transaction. Conflict when the name is taken, or when members'
// emails are in none of the new domains.
func (s *Organizations) Update(
	ctx context.Context, a access.Actor, scope access.Scope, id int64, p OrganizationPatch,
) (Organization, error) {
	if err := p.check(); err != nil {
		return Organization{}, err
	}
	now := s.Now()
	nameCounts, err := counts(ctx, s.NameCounts, p.Name != nil)
	if err != nil {
		return Organization{}, err
	}
	return s.Store.ChangeOrganization(ctx, scope, id, func(o Organization) (OrganizationChange, error) {
		c := p.change(a, o, now)
		var leading []string
		if c.Organization.IsActive && !o.IsActive {
			leading = append(leading, "is_active")
		}
		if !slices.Equal(c.Organization.EmailDomains, o.EmailDomains) {
			leading = append(leading, "email_domains")
		}
		if nameCounts && c.Organization.Name != o.Name {
			leading = append(leading, "name")
		}
		if !slices.Equal(c.Organization.UPNSuffixes, o.UPNSuffixes) {
			leading = append(leading, "upn_suffixes")
		}
		if c.Organization.KerberosRealm != o.KerberosRealm {
			leading = append(leading, "kerberos_realm")
		}
		return c, access.CheckEffects(ctx, now, leading...)
	})
}

func (p *OrganizationPatch) check() error {
	var bad []fault.Field
	if p.Name != nil {
		name, f := cleanOrganizationName(*p.Name)
		p.Name, bad = &name, append(bad, f...)
	}
	if p.EmailDomains != nil {
		domains, f := cleanDomains(*p.EmailDomains)
		p.EmailDomains, bad = &domains, append(bad, f...)
	}
	if p.UPNSuffixes != nil {
		suffixes, f := cleanSuffixes(*p.UPNSuffixes)
		p.UPNSuffixes, bad = &suffixes, append(bad, f...)
	}
	if p.KerberosRealm != nil {
		realm, f := cleanRealm(*p.KerberosRealm)
		p.KerberosRealm, bad = &realm, append(bad, f...)
	}
	if len(bad) > 0 {
		return fault.Invalid(bad...)
	}
	return nil
}

func (p *OrganizationPatch) change(a access.Actor, o Organization, now time.Time) OrganizationChange {
	c := OrganizationChange{Organization: o, At: now}
	next := &c.Organization
	entry := func(action audit.Action, details string) {
		c.Entries = append(c.Entries, audit.By(a, action, "organization", audit.ID(o.ID), details).In(&o.ID))
	}
	if p.Name != nil && *p.Name != o.Name {
		next.Name = *p.Name
		entry(audit.OrganizationUpdated, "name from "+o.Name+" to "+next.Name)
	}
	if p.EmailDomains != nil && !slices.Equal(*p.EmailDomains, o.EmailDomains) {
		next.EmailDomains = *p.EmailDomains
		details := "any email domain"
		if len(next.EmailDomains) > 0 {
			details = "email domains " + strings.Join(next.EmailDomains, ", ")
		}
		entry(audit.OrganizationUpdated, details)
	}
	if p.UPNSuffixes != nil && !slices.Equal(*p.UPNSuffixes, o.UPNSuffixes) {
		next.UPNSuffixes = *p.UPNSuffixes
		entry(audit.OrganizationUpdated, next.saidSuffixes())
	}
	if p.KerberosRealm != nil && *p.KerberosRealm != o.KerberosRealm {
		next.KerberosRealm = *p.KerberosRealm
		entry(audit.OrganizationUpdated, next.saidRealm())
	}
	if p.IsActive == nil || *p.IsActive == o.IsActive {
		return c
	}
	next.IsActive = *p.IsActive
	if next.IsActive {
		entry(audit.OrganizationEnabled, "")
		return c
	}
	entry(audit.OrganizationDisabled, "the members' sessions ended")
	ended := audit.By(a, audit.SessionEnded, "session", "", "the organization was disabled").In(&o.ID)
	c.EndSessions = &ended
	return c
}
