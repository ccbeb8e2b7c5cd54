package storetest

import (
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/test/must"
)

// accountInvitation: a link made for the account as it was, or sent to its former address, lets
// nobody in; one made with the change does.
func accountInvitation(t *testing.T, f *fixture) {
	invited := func(hash string) func(*account.UserChange) {
		return func(c *account.UserChange) { c.Invite = &account.Invitation{Hash: hash, ExpiresAt: Now.Add(time.Hour)} }
	}
	open := func(hash string) string {
		u, _ := must.Both(f.Invited(t.Context(), hash))(t)
		return u.Username
	}
	for name, change := range map[string]func(*account.User){
		"role":         func(u *account.User) { u.Role = access.OrgManager },
		"organization": func(u *account.User) { u.OrganizationID = &f.b.ID },
		"activity":     func(u *account.User) { u.IsActive = false },
		"username":     func(u *account.User) { u.Username = "alexis" },
		"email":        func(u *account.User) { u.Email = "right@example.org" },
	} {
		must.Both(f.edit(t, f.alex, func(*account.User) {}, invited(name)))(t)
		must.Both(f.edit(t, f.alex, func(u *account.User) { u.Name = "for its " + name }))(t)
		equal(t, "another name", open(name) != "", true)
		must.Both(f.edit(t, f.alex, change))(t)
		refused(t, "after another "+name, errOf2(f.Invited(t.Context(), name)), fault.NotFound)
	}
	must.Both(f.edit(t, f.alex, func(u *account.User) { u.Email = "other@example.org" }, invited("new")))(t)
	equal(t, "the new link", open("new"), "alexis")
}
