package storetest

import (
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/session"
	"github.com/keyward/keyward/test/must"
)

var organizationChangeCases = map[string]func(*testing.T, *fixture){
	"every column is written":              organizationColumns,
	"scope":                                organizationChangeScope,
	"without entries nothing is written":   organizationNothing,
	"a name is taken, ignoring case":       organizationRenameTaken,
	"members' emails lie in the domains":   organizationDomains,
	"disabling ends its members' sessions": organizationDisable,
	"nobody signs in while it is disabled": organizationNoSignIn,
	"filters":                              organizationFilters,
}

func (f *fixture) tryOrganization(
	t *testing.T, o account.Organization, edit func(*account.Organization), more ...func(*account.OrganizationChange),
) (account.Organization, error) {
	t.Helper()
	return f.ChangeOrganization(t.Context(), access.All(), o.ID, func(o account.Organization) (account.OrganizationChange, error) {
		c := account.OrganizationChange{Organization: o, At: afterwards, Entries: []audit.Entry{entry(audit.OrganizationUpdated, "organization")}}
		edit(&c.Organization)
		for _, m := range more {
			m(&c)
		}
		return c, nil
	})
}

func (f *fixture) editOrganization(
	t *testing.T, o account.Organization, edit func(*account.Organization), more ...func(*account.OrganizationChange),
) account.Organization {
	t.Helper()
	return must.Get(f.tryOrganization(t, o, edit, more...))(t)
}

func endMembersSessions(c *account.OrganizationChange) {
	c.EndSessions = ptr(entry(audit.SessionEnded, "session"))
}

func organizationColumns(t *testing.T, f *fixture) {
	want := f.a
	want.Name, want.IsActive, want.EmailDomains, want.UpdatedAt = "Ácme", false, []string{"example.com", "example.org"}, afterwards
	want.UPNSuffixes, want.KerberosRealm = []string{"corp.example"}, "EXAMPLE.ORG"
	got := f.editOrganization(t, f.a, func(o *account.Organization) { *o = want })
	equal(t, "returned", got, want)
	got = must.Get(f.Organization(t.Context(), access.All(), f.a.ID))(t)
	equal(t, "read", got, want)
	equal(t, "entries", f.logged(t), []string{"organization.updated organization "})
	equal(t, "another", must.Get(f.Organization(t.Context(), access.All(), f.b.ID))(t), f.b)
}

func organizationChangeScope(t *testing.T, f *fixture) {
	for name, c := range map[string]struct {
		scope access.Scope
		id    int64
	}{"other": {inOrganization(f.b), f.a.ID}, "own reach": {ofUser(f.alex), f.a.ID}, "absent": {access.All(), 99999}} {
		_, err := f.ChangeOrganization(t.Context(), c.scope, c.id, func(o account.Organization) (account.OrganizationChange, error) {
			t.Errorf("%s: asked for a decision", name)
			return account.OrganizationChange{Organization: o}, nil
		})
		refused(t, name, err, fault.NotFound)
	}
}

func organizationNothing(t *testing.T, f *fixture) {
	unaudited := func(c *account.OrganizationChange) { c.Entries = nil }
	o := f.editOrganization(t, f.a, func(o *account.Organization) { o.Name = "Other" }, unaudited)
	equal(t, "organization", o, f.a)
	equal(t, "entries", f.logged(t), nil)
}

func organizationRenameTaken(t *testing.T, f *fixture) {
	for _, name := range []string{"Bolt", "BOLT"} {
		refused(t, name, errOf(f.tryOrganization(t, f.a, func(o *account.Organization) { o.Name = name })), fault.Conflict)
	}
	equal(t, "entries", f.logged(t), nil)
	o := f.editOrganization(t, f.a, func(o *account.Organization) { o.Name = "ACME" }) // its own, in another case
	equal(t, "name", o.Name, "ACME")
	f.editOrganization(t, f.b, func(o *account.Organization) { o.Name = "Nut" })
	f.organization(t, "bolt") // it is free
}

func organizationDomains(t *testing.T, f *fixture) {
	f.disabled(t, "gone")
	f.seen = f.newest(t)
	for _, domains := range [][]string{{"example.com"}, {"org"}, {"ample.org", "sub.example.org"}, {"example_org"}} {
		_, err := f.tryOrganization(t, f.a, func(o *account.Organization) { o.EmailDomains = domains })
		refused(t, strings.Join(domains, " "), err, fault.Conflict)
		if fl, _ := fault.As(err); fl.Reason != "emails_outside" || fl.Params["count"] != int64(3) {
			t.Errorf("%v: it does not tell how many: %s %v", domains, fl.Reason, fl.Params)
		}
	}
	equal(t, "entries", f.logged(t), nil)
	f.editOrganization(t, f.a, func(o *account.Organization) { o.EmailDomains = []string{"example.com", "example.org"} })
	f.editOrganization(t, f.a, func(o *account.Organization) { o.EmailDomains = nil })
	must.Both(f.edit(t, f.alex, func(u *account.User) { u.Email = "Alex@Other.example" }))(t)
	_, err := f.tryOrganization(t, f.a, func(o *account.Organization) { o.EmailDomains = []string{"example.org"} })
	refused(t, "one of them left", err, fault.Conflict)
	f.editOrganization(t, f.a, func(o *account.Organization) { o.EmailDomains = []string{"example.org", "other.example"} })
}

func organizationDisable(t *testing.T, f *fixture) {
	manager, alex, bea, admin := f.signIn(t, f.manager), f.signIn(t, f.alex), f.signIn(t, f.bea), f.signIn(t, f.admin)
	expired := f.signInAt(t, f.alex, Now.Add(-2*time.Hour))
	f.seen = f.newest(t)
	f.editOrganization(t, f.a, func(o *account.Organization) { o.IsActive = false }, endMembersSessions)
	for name, s := range map[string]signedIn{"manager": manager, "user": alex} {
		equal(t, name+": active", f.session(t, s.ID).Active, false)
		equal(t, name+": family", f.state(t, s.token).Family.RevokedAt, &afterwards)
	}
	equal(t, "expired: family", f.state(t, expired.token).Family.RevokedAt, &afterwards)
	for name, s := range map[string]signedIn{"of another organization": bea, "of none": admin} {
		equal(t, name+": active", f.session(t, s.ID).Active, true)
		equal(t, name+": family", f.state(t, s.token).Family.RevokedAt, nil)
	}
	equal(t, "entries", len(f.logged(t)), 3)
}

func organizationNoSignIn(t *testing.T, f *fixture) {
	f.editOrganization(t, f.a, func(o *account.Organization) { o.IsActive = false }, endMembersSessions)
	f.seen = f.newest(t)
	s, family := fresh(f.alex.ID, Now)
	token := session.RefreshToken{Hash: "h", CreatedAt: Now}
	_, err := f.BeginSession(t.Context(), s, family, token, entry(audit.SessionCreated, "session"))
	refused(t, "a member", err, fault.AccountDisabled)
	equal(t, "entries", f.logged(t), nil)
	f.signIn(t, f.bea)
	f.signIn(t, f.admin)
	f.editOrganization(t, f.a, func(o *account.Organization) { o.IsActive = true })
	f.signIn(t, f.alex)
}

func organizationFilters(t *testing.T, f *fixture) {
	f.organization(t, "100% Zoë")
	f.editOrganization(t, f.b, func(o *account.Organization) { o.IsActive = false })
	for _, c := range []struct {
		name   string
		scope  access.Scope
		filter account.OrganizationFilter
		want   string
	}{
		{"active", access.All(), account.OrganizationFilter{IsActive: ptr(true)}, "100% Zoë, Acme"},
		{"disabled", access.All(), account.OrganizationFilter{IsActive: ptr(false)}, "Bolt"},
		{"part of the name", access.All(), account.OrganizationFilter{Q: "CM"}, "Acme"},
		{"decomposed", access.All(), account.OrganizationFilter{Q: "ZOE\u0308"}, "100% Zoë"},
		{"no pattern", access.All(), account.OrganizationFilter{Q: "%"}, "100% Zoë"},
		{"both", access.All(), account.OrganizationFilter{Q: "o", IsActive: ptr(false)}, "Bolt"},
		{"out of scope", inOrganization(f.a), account.OrganizationFilter{Q: "o"}, ""},
	} {
		rows := walk(t, 1, func(p page.Request) (page.Page[account.Organization], error) {
			return f.ListOrganizations(t.Context(), c.scope, c.filter, p)
		})
		equal(t, c.name, strings.Join(names(rows, func(o account.Organization) string { return o.Name }), ", "), c.want)
	}
}
