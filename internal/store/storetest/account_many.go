package storetest

import (
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/test/must"
)

func accountAdded(t *testing.T, f *fixture) {
	add := func(name string, invite bool) account.Addition {
		a := account.Addition{User: newAccount(name, access.User, &f.a.ID), Entry: entry(audit.UserCreated, "user")}
		if invite {
			a.Invite, a.Invited = &account.Invitation{Hash: "hash of " + name, ExpiresAt: Now.Add(time.Hour)}, entry(audit.UserInvited, "user")
		}
		return a
	}
	failed, err := f.AddUsers(t.Context(), []account.Addition{add("one", true), add("ALEX", false), add("two", false)})
	refused(t, "a name of another", err, fault.Conflict)
	equal(t, "which one", failed, 1)
	equal(t, "nothing is added", f.loginOf(t, "one"), 0)
	equal(t, "entries", f.logged(t), nil)
	must.Get(f.AddUsers(t.Context(), []account.Addition{add("one", true), add("two", false)}))(t)
	invited, _ := must.Both(f.Invited(t.Context(), "hash of one"))(t)
	equal(t, "invited", invited.Username, "one")
	equal(t, "entries", len(f.logged(t)), 3)
}

func accountLogins(t *testing.T, f *fixture) {
	f.device(t, "k-1")
	f.certificate(t, f.record("aa", "k-1"))
	must.Both(f.edit(t, f.alex, func(u *account.User) { u.Email = "lex@example.org" }))(t)
	got := must.Get(f.LoginsAmong(t.Context(), []string{"alex", "lex@example.org", "bea", "nobody"}, Now))(t)
	ids := map[string]int64{}
	for name, l := range got {
		ids[name] = l.User.ID
		equal(t, name+" is reserved", l.ReservedUntil, nil)
	}
	equal(t, "whose", ids, map[string]int64{"alex": f.alex.ID, "lex@example.org": f.alex.ID, "bea": f.bea.ID})
	equal(t, "of none", must.Get(f.LoginsAmong(t.Context(), nil, Now))(t), map[string]account.Login{})
}

func accountTokens(t *testing.T, f *fixture) {
	f.device(t, "k-1")
	f.device(t, "k-2", func(d *hwkey.Device) { d.Status = hwkey.Retired })
	f.device(t, "other", func(d *hwkey.Device) { d.OwnerID = &f.manager.ID })
	f.device(t, "nobody's", func(d *hwkey.Device) { d.OwnerID, d.Status = nil, hwkey.InStock })
	ids := []int64{f.alex.ID, f.bea.ID, f.manager.ID}
	equal(t, "tokens", must.Get(f.TokensOf(t.Context(), ids))(t), map[int64]int64{f.alex.ID: 2, f.manager.ID: 1})
	equal(t, "of nobody", must.Get(f.TokensOf(t.Context(), nil))(t), map[int64]int64{})
}

func accountJoined(t *testing.T, f *fixture) {
	s := f.signIn(t, f.bea)
	f.editOrganization(t, f.b, func(o *account.Organization) { o.Name, o.IsActive = "Bolts", false })
	want := f.bea
	want.OrganizationName, want.OrganizationDisabled, want.LastLoginAt = "Bolts", true, ptr(Now)
	u := must.Get(f.User(t.Context(), access.All(), f.bea.ID))(t)
	equal(t, "read", u, want)
	equal(t, "in a refresh", f.state(t, s.token).User, want)
	_, u = must.Both(f.Authenticate(t.Context(), s.ID))(t)
	want.PasswordHash = ""
	equal(t, "authenticated", u, want)
}
