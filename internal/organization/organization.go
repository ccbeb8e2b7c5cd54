// Package organization holds the tenants. Routes: /api/admin/organizations.
package organization

import (
	"context"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/page"
)

// Organization is a tenant.
type Organization struct {
	ID           int64
	Name         string
	IsActive     bool
	EmailDomains []string // when any, members' emails lie in them; lower case
	CreatedAt    time.Time
	UpdatedAt    time.Time
}

// Store keeps organizations.
type Store interface {
	// InsertOrganization sets ID. Conflict when the name exists, ignoring
	// case.
	InsertOrganization(ctx context.Context, o Organization, entry audit.Entry) (Organization, error)
	// Organization is NotFound outside scope (which filters by id).
	Organization(ctx context.Context, scope access.Scope, id int64) (Organization, error)
	// ListOrganizations returns those in scope, newest first.
	ListOrganizations(ctx context.Context, scope access.Scope, p page.Request) (page.Page[Organization], error)
}

// Service is the domain's face to the edges.
type Service struct {
	Store Store
	Now   func() time.Time
}

var domain = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$`)

// Create makes an organization. Names are 1 to 128 characters without
// control characters, unique ignoring case.
func (s *Service) Create(ctx context.Context, a access.Actor, name string, emailDomains []string) (Organization, error) {
	var bad []fault.Field
	name = strings.TrimSpace(name)
	if n := utf8.RuneCountInString(name); n == 0 || n > 128 || strings.ContainsFunc(name, isControl) {
		bad = append(bad, fault.Field{Field: "name", Message: "must have 1 to 128 characters and no control characters"})
	}
	domains := []string{}
	for _, d := range emailDomains {
		d = strings.ToLower(strings.TrimSpace(d))
		if len(d) > 253 || !domain.MatchString(d) {
			bad = append(bad, fault.Field{Field: "email_domains", Message: "must be domain names such as example.org"})
			break
		}
		domains = append(domains, d)
	}
	if len(bad) > 0 {
		return Organization{}, fault.InvalidFields(bad)
	}
	now := s.Now()
	o := Organization{Name: name, IsActive: true, EmailDomains: domains, CreatedAt: now, UpdatedAt: now}
	return s.Store.InsertOrganization(ctx, o, audit.By(a, audit.OrganizationCreated, "organization", "", "name "+name))
}

func isControl(r rune) bool { return r < 0x20 || r == 0x7f || (r >= 0x80 && r < 0xa0) }

// Accepts tells whether a member of the organization may have that email.
func (o Organization) Accepts(email string) bool {
	if len(o.EmailDomains) == 0 {
		return true
	}
	at := strings.LastIndexByte(email, '@')
	if at < 0 {
		return false
	}
	host := strings.ToLower(email[at+1:])
	for _, d := range o.EmailDomains {
		if host == d {
			return true
		}
	}
	return false
}
