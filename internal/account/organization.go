package account

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/textinput"
)

// Organization is a tenant.
type Organization struct {
	ID           int64
	Name         string
	IsActive     bool
	EmailDomains []string // if any, members' emails must be in one of them; lower case
	// UPNSuffixes are what a member's UPN may have after its @, set by a manager; lower case.
	UPNSuffixes   []string
	KerberosRealm string // in its own case; empty: the installation's
	CreatedAt     time.Time
	UpdatedAt     time.Time
}

// OrganizationStore keeps organizations.
type OrganizationStore interface {
	// InsertOrganization sets ID. Conflict when the name exists, ignoring
	// case.
	InsertOrganization(ctx context.Context, o Organization, entry audit.Entry) (Organization, error)
	// Organization is NotFound outside scope (which filters by id).
	Organization(ctx context.Context, scope access.Scope, id int64) (Organization, error)
	// ListOrganizations returns the organizations in scope, newest first.
	ListOrganizations(ctx context.Context, scope access.Scope, f OrganizationFilter, p page.Request) (page.Page[Organization], error)
	// ChangeOrganization finds an organization in scope (NotFound otherwise),
	// calls decide with it and writes the change that decide returns, in one
	// transaction that excludes other changes of accounts and organizations.
	// Conflict when the name exists, ignoring case, or when members' emails are
	// in none of the new domains.
	ChangeOrganization(
		ctx context.Context, scope access.Scope, id int64, decide func(Organization) (OrganizationChange, error),
	) (Organization, error)
}

// OrganizationFilter narrows a list; zero fields do not filter.
type OrganizationFilter struct {
	Q        string // part of the name, ignoring case
	IsActive *bool
	Sort     page.Sort // by name
}

// Organizations is the domain's face to the edges.
type Organizations struct {
	Store OrganizationStore
	// NameCounts, when not nil, reports whether certificates have organizations' names.
	NameCounts func(ctx context.Context) (bool, error)
	Now        func() time.Time
}

var domain = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$`)

// NewOrganization is an organization to create.
type NewOrganization struct {
	Name          string
	EmailDomains  []string
	UPNSuffixes   []string
	KerberosRealm string
}

// Create creates an organization. Names are 1 to 128 visible characters, unique ignoring case.
func (s *Organizations) Create(ctx context.Context, a access.Actor, in NewOrganization) (Organization, error) {
	name, bad := cleanOrganizationName(in.Name)
	domains, badDomains := cleanDomains(in.EmailDomains)
	suffixes, badSuffixes := cleanSuffixes(in.UPNSuffixes)
	realm, badRealm := cleanRealm(in.KerberosRealm)
	if bad = slices.Concat(bad, badDomains, badSuffixes, badRealm); len(bad) > 0 {
		return Organization{}, fault.Invalid(bad...)
	}
	now := s.Now()
	o := Organization{Name: name, IsActive: true, EmailDomains: domains, UPNSuffixes: suffixes, KerberosRealm: realm,
		CreatedAt: now, UpdatedAt: now}
	details := "name " + name
	var leading []string
	if len(suffixes) > 0 {
		leading = append(leading, "upn_suffixes")
		details += ", " + o.saidSuffixes()
	}
	if realm != "" {
		leading = append(leading, "kerberos_realm")
		details += ", " + o.saidRealm()
	}
	if err := access.CheckEffects(ctx, now, leading...); err != nil {
		return Organization{}, err
	}
	return s.Store.InsertOrganization(ctx, o, audit.By(a, audit.OrganizationCreated, "organization", "", details))
}

func (o Organization) saidSuffixes() string {
	if len(o.UPNSuffixes) == 0 {
		return "no UPN suffixes"
	}
	return "UPN suffixes " + strings.Join(o.UPNSuffixes, ", ")
}

func (o Organization) saidRealm() string {
	if o.KerberosRealm == "" {
		return "no Kerberos realm"
	}
	return "Kerberos realm " + o.KerberosRealm
}

// cleanOrganizationName composes the name (NFC) and trims it. Invisible characters, such as
// control and format characters, would let two names look the same.
func cleanOrganizationName(name string) (string, []fault.Field) {
	name = norm.NFC.String(strings.TrimSpace(name))
	if name == "" || !textinput.ValidLine(name, 128) || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsGraphic(r) }) {
		return name, []fault.Field{fault.BadName("name", 128)}
	}
	return name, nil
}

// cleanDomains returns the domains in lower case, each once.
func cleanDomains(list []string) ([]string, []fault.Field) {
	domains := []string{}
	for _, d := range list {
		d = strings.ToLower(strings.TrimSpace(d))
		if len(d) > 253 || !domain.MatchString(d) {
			return nil, []fault.Field{fault.Wrong("email_domains", "bad_domains",
				"must be domain names such as example.org (one of other letters in its xn-- form)")}
		}
		if !slices.Contains(domains, d) {
			domains = append(domains, d)
		}
	}
	return domains, nil
}

// cleanSuffixes returns the UPN suffixes in lower case, each once.
func cleanSuffixes(list []string) ([]string, []fault.Field) {
	suffixes := []string{}
	for _, text := range list {
		text = strings.ToLower(strings.TrimSpace(text))
		if !validSuffix(text) {
			return nil, []fault.Field{fault.Wrong("upn_suffixes", "bad_suffixes",
				"must be domain names such as corp.example.org, without an @ (one of other letters in its xn-- form)")}
		}
		if !slices.Contains(suffixes, text) {
			suffixes = append(suffixes, text)
		}
	}
	return suffixes, nil
}

var kerberosRealm = regexp.MustCompile(`^[A-Za-z0-9.-]{1,255}$`)

// cleanRealm keeps the realm's case, which counts; empty: none.
func cleanRealm(text string) (string, []fault.Field) {
	text = strings.TrimSpace(text)
	if text != "" && !kerberosRealm.MatchString(text) {
		return text, []fault.Field{fault.Wrongf("kerberos_realm", "bad_realm",
			"must be a Kerberos realm such as EXAMPLE.ORG: at most {max} letters, digits, dots and dashes, in its own case",
			fault.Params{"max": 255})}
	}
	return text, nil
}

// Accepts reports whether a member of the organization may have that email.
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
