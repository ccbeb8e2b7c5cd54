package storetest

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/organization"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/user"
	"github.com/keyward/keyward/test/must"
)

var sortedCases = map[string]func(*testing.T, *fixture){
	"tokens in every order":        sortedDevices,
	"accounts in every order":      sortedUsers,
	"organizations in every order": sortedOrganizations,
	"a row renamed between pages":  sortedRenamed,
	"a cursor of another order":    sortedOtherCursor,
}

// ordered sorts by what compare tells apart, then by id; the zero order is by id, newest first.
func ordered[T any](all []T, sort page.Sort, id func(T) int64, compare map[string]func(a, b T) int) []T {
	out := slices.Clone(all)
	name, descending := sort.By()
	slices.SortFunc(out, func(a, b T) int {
		if sort == "" {
			return cmp.Compare(id(b), id(a))
		}
		c := cmp.Or(compare[name](a, b), cmp.Compare(id(a), id(b)))
		if descending {
			return -c
		}
		return c
	})
	return out
}

func sortedDevices(t *testing.T, f *fixture) {
	r := rand.New(rand.NewPCG(5, 5)) // #nosec G404 -- a test that can be repeated
	var all []hwkey.Device
	for i := range 40 {
		all = append(all, f.device(t, fmt.Sprintf("K%c-%02d", "aBcD"[r.IntN(4)], i), func(d *hwkey.Device) {
			d.Label = []string{"", "Ä key", "a key", "Z key"}[r.IntN(4)]
			d.Status = []hwkey.Status{hwkey.Assigned, hwkey.Active}[r.IntN(2)]
			if r.IntN(3) == 0 {
				d.OwnerID, d.OrganizationID = &f.bea.ID, &f.b.ID
			}
		}))
	}
	compare := map[string]func(a, b hwkey.Device) int{
		"serial":     func(a, b hwkey.Device) int { return cmp.Compare(strings.ToLower(a.Serial), strings.ToLower(b.Serial)) },
		"label":      func(a, b hwkey.Device) int { return cmp.Compare(strings.ToLower(a.Label), strings.ToLower(b.Label)) },
		"status":     func(a, b hwkey.Device) int { return cmp.Compare(a.Status, b.Status) },
		"registered": func(_, _ hwkey.Device) int { return 0 },
	}
	for name, scope := range map[string]access.Scope{
		"all": access.All(), "organization": inOrganization(f.a), "own": ofUser(f.bea), "nobody": {},
	} {
		for _, status := range []hwkey.Status{"", hwkey.Active} {
			for _, sort := range []page.Sort{"", "serial", "-serial", "label", "-label", "status", "-status", "registered"} {
				rows := walk(t, 1+r.IntN(7), func(p page.Request) (page.Page[hwkey.Device], error) {
					return f.ListDevices(t.Context(), scope, hwkey.Filter{Status: status, Sort: sort}, p)
				})
				want := slices.DeleteFunc(slices.Clone(all), func(d hwkey.Device) bool {
					return scope.Reach == access.None || scope.Reach == access.Organization && *d.OrganizationID != scope.OrganizationID ||
						scope.Reach == access.Own && *d.OwnerID != scope.UserID || status != "" && d.Status != status
				})
				want = ordered(want, sort, func(d hwkey.Device) int64 { return d.ID }, compare)
				serial := func(d hwkey.Device) string { return d.Serial }
				equal(t, fmt.Sprint(name, " ", status, " ", sort), names(rows, serial), names(want, serial))
			}
		}
	}
}

func sortedUsers(t *testing.T, f *fixture) {
	r := rand.New(rand.NewPCG(6, 6)) // #nosec G404 -- a test that can be repeated
	for i := range 20 {
		u := account(fmt.Sprintf("%c%02d", "nMlK"[r.IntN(4)], i), []access.Role{access.User, access.OrgManager}[r.IntN(2)], &f.a.ID)
		u.IsActive = r.IntN(4) > 0
		must.Get(f.InsertUser(t.Context(), u, entry("x.y", "user")))(t)
	}
	compare := map[string]func(a, b user.User) int{
		"username": func(a, b user.User) int { return cmp.Compare(strings.ToLower(a.Username), strings.ToLower(b.Username)) },
		"role":     func(a, b user.User) int { return cmp.Compare(a.Role, b.Role) },
		"created":  func(_, _ user.User) int { return 0 },
	}
	for _, scope := range []access.Scope{access.All(), inOrganization(f.a), inOrganization(f.b)} {
		for _, filter := range []user.Filter{{}, {IsActive: ptr(true)}, {IsActive: ptr(false)}, {Role: access.User}} {
			filter.Now = Now
			natural := walk(t, 500, func(p page.Request) (page.Page[user.User], error) {
				return f.ListUsers(t.Context(), scope, filter, p)
			})
			for _, sort := range []page.Sort{"username", "-username", "role", "-role", "created"} {
				filter.Sort = sort
				rows := walk(t, 1+r.IntN(5), func(p page.Request) (page.Page[user.User], error) {
					return f.ListUsers(t.Context(), scope, filter, p)
				})
				want := ordered(natural, sort, func(u user.User) int64 { return u.ID }, compare)
				username := func(u user.User) string { return u.Username }
				equal(t, fmt.Sprint(scope, filter, sort), names(rows, username), names(want, username))
			}
		}
	}
}

func sortedOrganizations(t *testing.T, f *fixture) {
	for _, name := range []string{"Zeta", "alpha", "Beta", "gamma"} {
		f.organization(t, name)
	}
	list := func(limit int, sort page.Sort) []organization.Organization {
		return walk(t, limit, func(p page.Request) (page.Page[organization.Organization], error) {
			return f.ListOrganizations(t.Context(), access.All(), organization.Filter{Sort: sort}, p)
		})
	}
	compare := map[string]func(a, b organization.Organization) int{"name": func(a, b organization.Organization) int {
		return cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	}}
	for _, sort := range []page.Sort{"name", "-name"} {
		want := ordered(list(500, ""), sort, func(o organization.Organization) int64 { return o.ID }, compare)
		name := func(o organization.Organization) string { return o.Name }
		equal(t, string(sort), names(list(2, sort), name), names(want, name))
	}
}

// sortedRenamed: the place in a list is where its last row stood when the page was read. Had it moved with the row,
// the pages would leave out all between.
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
		{"people", errOf(f.ListUsers(t.Context(), access.All(), user.Filter{Sort: "-username", Now: Now}, byID))},
		{"organizations", errOf(f.ListOrganizations(t.Context(), access.All(), organization.Filter{Sort: "name"}, byID))},
		{"certificates", errOf(f.ListCertificates(t.Context(), access.All(), cert.Filter{Sort: cert.NamesFirst, Now: Now}, byID))},
		{"certificates by end", errOf(f.ListCertificates(t.Context(), access.All(), cert.Filter{Sort: cert.EndsFirst, Now: Now}, byText))},
		{"the log", errOf(f.ListAudit(t.Context(), access.All(), audit.Filter{}, byText))},
	} {
		invalid(t, c.what, c.err, "cursor")
	}
}
