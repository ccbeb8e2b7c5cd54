package storetest

import (
	"testing"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/test/must"
)

var organizationCases = map[string]func(*testing.T, *fixture){
	"insert and read":                  organizationRead,
	"a name is taken, ignoring case":   organizationTaken,
	"a list holds what is in scope":    organizationList,
	"scope filters by the own id only": organizationScope,
}

func organizationRead(t *testing.T, f *fixture) {
	in := account.Organization{Name: "Zoë & Söhne", EmailDomains: []string{"a.example", "b.example"}, CreatedAt: Now, UpdatedAt: Now,
		UPNSuffixes: []string{"corp.example", "corp"}, KerberosRealm: "Example.ORG"}
	o := must.Get(f.InsertOrganization(t.Context(), in, entry(audit.OrganizationCreated, "organization")))(t)
	in.ID = o.ID
	equal(t, "inserted", o, in)
	equal(t, "read", must.Get(f.Organization(t.Context(), access.All(), o.ID))(t), in)
	equal(t, "entries", f.logged(t), []string{"organization.created organization " + audit.ID(o.ID)})
}

func organizationTaken(t *testing.T, f *fixture) {
	f.organization(t, "Straße Café")
	f.seen = f.newest(t)
	// The last has the same letters, with the accent as a separate character.
	for _, name := range []string{"ACME", "STRASSE CAFÉ", "straße cafe\u0301"} {
		_, err := f.InsertOrganization(t.Context(), account.Organization{Name: name, CreatedAt: Now, UpdatedAt: Now}, entry("x.y", ""))
		refused(t, name, err, fault.Conflict)
	}
	equal(t, "entries of what did not happen", f.logged(t), nil)
}

func organizationList(t *testing.T, f *fixture) {
	list := func(s access.Scope) []string {
		return names(walk(t, 1, func(p page.Request) (page.Page[account.Organization], error) {
			return f.ListOrganizations(t.Context(), s, account.OrganizationFilter{}, p)
		}), func(o account.Organization) string { return o.Name })
	}
	equal(t, "all, newest first", list(access.All()), []string{"Bolt", "Acme"})
	equal(t, "own", list(inOrganization(f.a)), []string{"Acme"})
	equal(t, "none", list(ofUser(f.alex)), nil)
}

func organizationScope(t *testing.T, f *fixture) {
	must.Get(f.Organization(t.Context(), inOrganization(f.a), f.a.ID))(t)
	for name, s := range map[string]access.Scope{"other": inOrganization(f.b), "own reach": ofUser(f.alex), "none": {}} {
		refused(t, name, errOf(f.Organization(t.Context(), s, f.a.ID)), fault.NotFound)
	}
	refused(t, "absent", errOf(f.Organization(t.Context(), access.All(), 99999)), fault.NotFound)
}
