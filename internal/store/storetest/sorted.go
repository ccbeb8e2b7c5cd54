package storetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/test/must"
)

var sortedCases = map[string]func(*testing.T, *fixture){
	"tokens in every order":        sortedDevices,
	"accounts in every order":      sortedUsers,
	"organizations in every order": sortedOrganizations,
	"a row renamed between pages":  sortedRenamed,
	"a cursor of another order":    sortedOtherCursor,
}

// sorted walks a list in pages of one, of two and as one, and compares its rows by name.
func sorted[T any](t *testing.T, what, want string, name func(T) string, list func(page.Request) (page.Page[T], error)) {
	t.Helper()
	for _, limit := range []int{1, 2, 500} {
		equal(t, what, strings.Join(names(walk(t, limit, list), name), " "), want)
	}
}

func sortedDevices(t *testing.T, f *fixture) {
	for _, d := range []struct {
		serial, label string
		status        hwkey.Status
		theirs        bool
	}{
		{"b-1", "Z key", hwkey.Active, false}, {"A-2", "", hwkey.Assigned, false}, {"c-3", "a key", hwkey.Active, true},
		{"B-4", "a key", hwkey.Assigned, false}, {"a-5", "Ä key", hwkey.Active, false},
	} {
		f.device(t, d.serial, func(row *hwkey.Device) {
			row.Label, row.Status = d.label, d.status
			if d.theirs {
				row.OwnerID, row.OrganizationID = &f.bea.ID, &f.b.ID
			}
		})
	}
	for _, c := range []struct {
		scope  access.Scope
		status hwkey.Status
		sort   page.Sort
		want   string
	}{
		{access.All(), "", "", "a-5 B-4 c-3 A-2 b-1"},
		{access.All(), "", "serial", "A-2 a-5 b-1 B-4 c-3"},
		{access.All(), "", "-serial", "c-3 B-4 b-1 a-5 A-2"},
		{access.All(), "", "label", "A-2 c-3 B-4 b-1 a-5"},
		{access.All(), "", "-label", "a-5 b-1 B-4 c-3 A-2"},
		{access.All(), "", "status", "b-1 c-3 a-5 A-2 B-4"},
		{access.All(), "", "-status", "B-4 A-2 a-5 c-3 b-1"},
		{access.All(), "", "registered", "b-1 A-2 c-3 B-4 a-5"},
		{access.All(), hwkey.Active, "label", "c-3 b-1 a-5"},
		{access.All(), hwkey.Active, "status", "b-1 c-3 a-5"},
		{inOrganization(f.a), "", "serial", "A-2 a-5 b-1 B-4"},
		{inOrganization(f.a), hwkey.Assigned, "-label", "B-4 A-2"},
		{inOrganization(f.a), "", "-status", "B-4 A-2 a-5 b-1"},
		{inOrganization(f.a), hwkey.Active, "registered", "b-1 a-5"},
		{ofUser(f.bea), "", "label", "c-3"},
		{access.Scope{}, "", "serial", ""},
	} {
		sorted(t, fmt.Sprint(c.scope, c.status, c.sort), c.want, func(d hwkey.Device) string { return d.Serial },
			func(p page.Request) (page.Page[hwkey.Device], error) {
				return f.ListDevices(t.Context(), c.scope, hwkey.Filter{Status: c.status, Sort: c.sort}, p)
			})
	}
}

func sortedUsers(t *testing.T, f *fixture) { // beside admin, manager, alex and bea
	f.user(t, "Carl", access.User, &f.a.ID)
	f.disabled(t, "Aaron")
	for _, c := range []struct {
		scope  access.Scope
		filter account.UserFilter
		want   string
	}{
		{access.All(), account.UserFilter{Sort: "username"}, "Aaron admin alex bea Carl manager"},
		{access.All(), account.UserFilter{Sort: "-username"}, "manager Carl bea alex admin Aaron"},
		{access.All(), account.UserFilter{Sort: "role"}, "admin manager alex bea Carl Aaron"},
		{access.All(), account.UserFilter{Sort: "-role"}, "Aaron Carl bea alex manager admin"},
		{access.All(), account.UserFilter{Sort: "created"}, "admin manager alex bea Carl Aaron"},
		{access.All(), account.UserFilter{Sort: "username", Role: access.User}, "Aaron alex bea Carl"},
		{access.All(), account.UserFilter{Sort: "role", Role: access.User}, "alex bea Carl Aaron"},
		{inOrganization(f.a), account.UserFilter{Sort: "-username"}, "manager Carl alex Aaron"},
		{inOrganization(f.a), account.UserFilter{Sort: "-role", IsActive: ptr(true)}, "Carl alex manager"},
		{inOrganization(f.a), account.UserFilter{Sort: "username", IsActive: ptr(false)}, "Aaron"},
		{inOrganization(f.b), account.UserFilter{Sort: "created"}, "bea"},
	} {
		c.filter.Now = Now
		sorted(t, fmt.Sprint(c.scope, c.filter), c.want, func(u account.User) string { return u.Username },
			func(p page.Request) (page.Page[account.User], error) {
				return f.ListUsers(t.Context(), c.scope, c.filter, p)
			})
	}
}

func sortedOrganizations(t *testing.T, f *fixture) { // beside Acme and Bolt
	f.organization(t, "Zeta")
	f.organization(t, "alpha")
	for sort, want := range map[page.Sort]string{"name": "Acme alpha Bolt Zeta", "-name": "Zeta Bolt alpha Acme"} {
		sorted(t, string(sort), want, func(o account.Organization) string { return o.Name },
			func(p page.Request) (page.Page[account.Organization], error) {
				return f.ListOrganizations(t.Context(), access.All(), account.OrganizationFilter{Sort: sort}, p)
			})
	}
}

// sortedRenamed: a page begins where the last row was when the page before was read. If the place
// moved with the row, the pages would skip all between.
func sortedRenamed(t *testing.T, f *fixture) {
	for _, label := range []string{"a", "b", "c", "d"} {
		f.device(t, "key-"+label, func(d *hwkey.Device) { d.Label = label })
	}
	list := func(p page.Request) page.Page[hwkey.Device] {
		return must.Get(f.ListDevices(t.Context(), access.All(), hwkey.Filter{Sort: "label"}, p))(t)
	}
	first := list(page.Request{Limit: 2})
	f.editDevice(t, "key-b", func(d *hwkey.Device) { d.Label = "z" })
	rest := list(must.Get(page.Parse(9, *first.NextCursor))(t))
	equal(t, "what follows", names(rest.Items, func(d hwkey.Device) string { return d.Serial }), []string{"key-c", "key-d", "key-b"})
	equal(t, "how many there are", rest.Count, page.Count{Total: 4, TotalIsExact: true})
}

// sortedOtherCursor: a cursor names a place in its own order only.
func sortedOtherCursor(t *testing.T, f *fixture) {
	f.device(t, "abcd")
	byID, byText := page.Request{Limit: 1, Before: 1}, page.Request{Limit: 1, Before: 1, Sorted: true, After: "x"}
	for _, c := range []struct {
		what string
		err  error
	}{
		{"tokens", errOf(f.ListDevices(t.Context(), access.All(), hwkey.Filter{Sort: "label"}, byID))},
		{"tokens by id", errOf(f.ListDevices(t.Context(), access.All(), hwkey.Filter{}, byText))},
		{"tokens, oldest first", errOf(f.ListDevices(t.Context(), access.All(), hwkey.Filter{Sort: "registered"}, byID))},
		{"tokens by status", errOf(f.ListDevices(t.Context(), access.All(), hwkey.Filter{Sort: "status", Status: hwkey.Active}, byID))},
		{"people", errOf(f.ListUsers(t.Context(), access.All(), account.UserFilter{Sort: "-username", Now: Now}, byID))},
		{"organizations", errOf(f.ListOrganizations(t.Context(), access.All(), account.OrganizationFilter{Sort: "name"}, byID))},
		{"certificates", errOf(f.ListCertificates(t.Context(), access.All(), cert.Filter{Sort: cert.NamesFirst, Now: Now}, byID))},
		{"certificates by end", errOf(f.ListCertificates(t.Context(), access.All(), cert.Filter{Sort: cert.EndsFirst, Now: Now}, byText))},
		{"the log", errOf(f.ListAudit(t.Context(), access.All(), audit.Filter{}, byText))},
	} {
		invalid(t, c.what, c.err, "cursor")
	}
}
