package storetest

import (
	"errors"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/test/must"
)

var accountCases = map[string]func(*testing.T, *fixture){
	"what a change depends on":                  accountState,
	"every column is written":                   accountColumns,
	"scope":                                     accountScope,
	"without entries nothing is written":        accountNothing,
	"a refusal writes nothing":                  accountRefused,
	"a new email gives up the former":           accountEmail,
	"a new email ends the invitation":           accountInvitation,
	"an email is taken":                         accountTaken,
	"a name in another case is one's own":       accountCase,
	"tokens follow into another organization":   accountMove,
	"disabling ends every session":              accountDisable,
	"tokens in use are suspended":               accountSuspend,
	"unlocking forgets failed sign-ins":         accountUnlock,
	"a disabled organization takes nobody":      accountDisabledOrganization,
	"a new member's email lies in its domains":  accountDomains,
	"a token lies in its owner's organization":  accountOwner,
	"many are added, or none":                   accountAdded,
	"whose names are":                           accountLogins,
	"tokens are counted":                        accountTokens,
	"several at once, or none":                  accountMany,
	"what joins an account to its organization": accountJoined,
}

var afterwards = Now.Add(time.Minute)

// edit changes an account with edit and, with more, the rest of the change.
func (f *fixture) edit(
	t *testing.T, u account.User, edit func(*account.User), more ...func(*account.UserChange),
) (account.User, int64, error) {
	t.Helper()
	return f.ChangeUser(t.Context(), access.All(), u.ID, nil, func(s account.UserState) (account.UserChange, error) {
		c := account.UserChange{User: s.User, At: afterwards, Entries: []audit.Entry{entry(audit.UserUpdated, "user")}}
		edit(&c.User)
		for _, m := range more {
			m(&c)
		}
		return c, nil
	})
}

func endSessions(c *account.UserChange) { c.EndSessions = ptr(entry(audit.SessionEnded, "session")) }

func accountState(t *testing.T, f *fixture) {
	f.user(t, "second", access.GlobalAdmin, nil)
	sleeping := newAccount("sleeping", access.GlobalAdmin, nil)
	sleeping.IsActive = false
	must.Get(f.InsertUser(t.Context(), sleeping, entry(audit.UserCreated, "user")))(t)
	for serial, status := range map[string]hwkey.Status{"k-1": hwkey.Assigned, "k-2": hwkey.Active,
		"k-3": hwkey.Suspended, "k-4": hwkey.Lost} {
		f.device(t, serial, func(d *hwkey.Device) { d.Status = status })
	}
	for _, c := range []struct {
		name string
		id   int64
		to   **int64
		want account.UserState
	}{
		{"as it is", f.alex.ID, nil, account.UserState{User: f.alex, OtherAdmins: 2, Organization: &f.a, TokensInUse: 2, TokensOwned: 4}},
		{"to another", f.alex.ID, ptr(&f.b.ID), account.UserState{
			User: f.alex, OtherAdmins: 2, Organization: &f.b, TokensInUse: 2, TokensOwned: 4,
		}},
		{"to none", f.alex.ID, ptr((*int64)(nil)), account.UserState{User: f.alex, OtherAdmins: 2, TokensInUse: 2, TokensOwned: 4}},
		{"to one that is not", f.bea.ID, ptr(ptr(int64(99999))), account.UserState{User: f.bea, OtherAdmins: 2}},
		{"an admin does not count itself", f.admin.ID, nil, account.UserState{User: f.admin, OtherAdmins: 1}},
	} {
		var got account.UserState
		_, _, err := f.ChangeUser(t.Context(), access.All(), c.id, c.to, func(s account.UserState) (account.UserChange, error) {
			got = s
			return account.UserChange{}, errRefused
		})
		if err == nil {
			t.Errorf("%s: the decision's error is lost", c.name)
		}
		equal(t, c.name, got, c.want)
	}
}

func accountColumns(t *testing.T, f *fixture) {
	want := f.alex
	want.Username, want.Name, want.Email, want.Role = "lex", "Lex Ähm", "lex@example.org", access.GlobalAdmin
	want.OrganizationID, want.IsActive = nil, false
	want.MustChangePassword, want.PasswordHash, want.PasswordChangedAt, want.UpdatedAt = true, "other hash", afterwards, afterwards
	want.OrganizationName = ""
	u, tokens := must.Both(f.edit(t, f.alex, func(u *account.User) { *u = want }))(t)
	equal(t, "returned", u, want)
	equal(t, "tokens", tokens, 0)
	equal(t, "read", must.Get(f.User(t.Context(), access.All(), f.alex.ID))(t), want)
	found := must.Get(f.ListUsers(t.Context(), access.All(), account.UserFilter{Q: "x äHM"}, page.Request{Limit: 9}))(t)
	equal(t, "found by name", found.Items, []account.User{want})
	equal(t, "entries", f.logged(t), []string{"user.updated user "})
	equal(t, "another account", must.Get(f.User(t.Context(), access.All(), f.bea.ID))(t), f.bea)
}

func accountScope(t *testing.T, f *fixture) {
	decide := func(s account.UserState) (account.UserChange, error) {
		return account.UserChange{User: s.User, At: afterwards, Entries: []audit.Entry{entry(audit.UserUpdated, "user")}}, nil
	}
	must.Both(f.ChangeUser(t.Context(), inOrganization(f.a), f.alex.ID, nil, decide))(t)
	for name, c := range map[string]struct {
		scope access.Scope
		id    int64
	}{
		"other organization": {inOrganization(f.b), f.alex.ID}, "no organization": {inOrganization(f.a), f.admin.ID},
		"no reach": {access.Scope{}, f.alex.ID}, "absent": {access.All(), 99999},
	} {
		_, _, err := f.ChangeUser(t.Context(), c.scope, c.id, nil, func(s account.UserState) (account.UserChange, error) {
			t.Errorf("%s: asked for a decision", name)
			return decide(s)
		})
		refused(t, name, err, fault.NotFound)
	}
	equal(t, "entries", len(f.logged(t)), 1)
}

func accountMany(t *testing.T, f *fixture) {
	rename := func(s account.UserState) (account.UserChange, error) {
		if s.User.ID == f.bea.ID {
			return account.UserChange{User: s.User, At: afterwards}, nil
		}
		s.User.Email = "new-" + s.User.Email
		return account.UserChange{User: s.User, At: afterwards, Entries: []audit.Entry{entry(audit.UserUpdated, "user")}}, nil
	}
	for name, c := range map[string]struct {
		scope access.Scope
		id    int64
	}{"out of scope": {inOrganization(f.a), f.bea.ID}, "absent": {access.All(), 99999}} {
		_, err := f.ChangeUsers(t.Context(), c.scope, []int64{f.alex.ID, c.id}, rename)
		refused(t, name, err, fault.NotFound)
	}
	_, err := f.ChangeUsers(t.Context(), access.All(), []int64{f.alex.ID, f.bea.ID}, func(s account.UserState) (account.UserChange, error) {
		if s.User.ID == f.bea.ID {
			return account.UserChange{}, errRefused
		}
		return rename(s)
	})
	if !errors.Is(err, errRefused) {
		t.Errorf("a refusal: %v", err)
	}
	equal(t, "entries after refusals", len(f.logged(t)), 0)
	equal(t, "alex", must.Get(f.User(t.Context(), access.All(), f.alex.ID))(t), f.alex)
	equal(t, "changed", must.Get(f.ChangeUsers(t.Context(), access.All(), []int64{f.alex.ID, f.bea.ID, f.admin.ID}, rename))(t), 2)
	equal(t, "alex is changed", must.Get(f.User(t.Context(), access.All(), f.alex.ID))(t).Email, "new-"+f.alex.Email)
	equal(t, "bea is not", must.Get(f.User(t.Context(), access.All(), f.bea.ID))(t), f.bea)
	equal(t, "entries", len(f.logged(t)), 2)
}

func accountNothing(t *testing.T, f *fixture) {
	unaudited := func(c *account.UserChange) { c.Entries = nil }
	u, _ := must.Both(f.edit(t, f.alex, func(u *account.User) { u.Email = "other@example.org" }, unaudited))(t)
	equal(t, "account", u, f.alex)
	equal(t, "entries", f.logged(t), nil)
}

func accountRefused(t *testing.T, f *fixture) {
	s := f.signIn(t, f.alex)
	f.device(t, "k-1")
	f.seen = f.newest(t)
	_, _, err := f.edit(t, f.alex, func(u *account.User) { u.IsActive, u.OrganizationID = false, ptr(int64(99999)) }, endSessions)
	invalid(t, "no such organization", err, "organization_id")
	got := must.Get(f.User(t.Context(), access.All(), f.alex.ID))(t)
	got.LastLoginAt = nil
	equal(t, "account", got, f.alex)
	equal(t, "session", f.session(t, s.ID).Active, true)
	equal(t, "entries", f.logged(t), nil)
}

func (f *fixture) loginOf(t *testing.T, login string) int64 {
	t.Helper()
	u, err := f.UserByLogin(t.Context(), login)
	if fault.Is(err, fault.NotFound) {
		return 0
	}
	must.OK(t, err)
	return u.ID
}

func accountEmail(t *testing.T, f *fixture) {
	must.Both(f.edit(t, f.alex, func(u *account.User) { u.Email = "Lex@Example.org" }))(t)
	equal(t, "by the new email", f.loginOf(t, "lex@example.org"), f.alex.ID)
	equal(t, "by the former", f.loginOf(t, "alex@example.org"), 0)
	equal(t, "by the username", f.loginOf(t, "alex"), f.alex.ID)
	u := newAccount("new", access.User, nil)
	u.Email = "alex@example.org"
	must.Get(f.InsertUser(t.Context(), u, entry(audit.UserCreated, "user")))(t) // it is free

	// Email and username are one: the account keeps a single name.
	must.Both(f.edit(t, f.alex, func(u *account.User) { u.Username, u.Email = "both@example.org", "Both@example.org" }))(t)
	equal(t, "by the former username", f.loginOf(t, "alex"), 0)
	equal(t, "by both", f.loginOf(t, "both@example.org"), f.alex.ID)
	must.Both(f.edit(t, f.alex, func(u *account.User) { u.Username, u.Email = "alex", "both@example.org" }))(t)
	equal(t, "by either", []int64{f.loginOf(t, "alex"), f.loginOf(t, "both@example.org")}, []int64{f.alex.ID, f.alex.ID})
}

func accountTaken(t *testing.T, f *fixture) {
	for _, email := range []string{"bea@example.org", "BEA@example.ORG", "bea"} {
		refused(t, email, errOf2(f.edit(t, f.alex, func(u *account.User) { u.Email = email })), fault.Conflict)
	}
	equal(t, "entries", f.logged(t), nil)
	equal(t, "still bea's", f.loginOf(t, "bea@example.org"), f.bea.ID)
	equal(t, "still alex's", f.loginOf(t, "alex@example.org"), f.alex.ID)
}

func accountCase(t *testing.T, f *fixture) {
	u, _ := must.Both(f.edit(t, f.alex, func(u *account.User) { u.Email = "ALEX@example.org" }))(t)
	equal(t, "email", u.Email, "ALEX@example.org")
	equal(t, "by email", f.loginOf(t, "alex@example.org"), f.alex.ID)
}

func accountMove(t *testing.T, f *fixture) {
	f.device(t, "k-1")
	f.device(t, "k-2", func(d *hwkey.Device) { d.Status = hwkey.Retired })
	f.device(t, "other", func(d *hwkey.Device) { d.OwnerID = &f.manager.ID })
	live := f.certificate(t, f.record("aa", "k-1"))
	gone := f.certificate(t, f.record("bb", "k-1"))
	must.Get(f.RevokeCertificate(t.Context(), "bb", 0, Now, entry(audit.CertificateRevoked, "certificate")))(t)
	f.seen = f.newest(t)
	u, tokens := must.Both(f.edit(t, f.alex, func(u *account.User) { u.OrganizationID = &f.b.ID },
		func(c *account.UserChange) { c.MoveTokens = entry(audit.HWKeyUpdated, "hwkey") }))(t)
	equal(t, "organization", u.OrganizationName, "Bolt")
	equal(t, "tokens in use", tokens, 1)
	organizations, names := map[string]*int64{}, map[string]string{}
	for _, serial := range []string{"k-1", "k-2", "other"} {
		d := must.Get(f.Device(t.Context(), access.All(), serial))(t)
		organizations[serial] = d.OrganizationID
	}
	for _, c := range []cert.Certificate{live, gone} {
		c := must.Get(f.Certificate(t.Context(), access.All(), c.SerialNumber))(t)
		organizations[c.SerialNumber], names[c.SerialNumber] = c.OrganizationID, c.OwnerName
	}
	equal(t, "organizations", organizations, map[string]*int64{
		"k-1": &f.b.ID, "k-2": &f.b.ID, "other": &f.a.ID, "aa": &f.b.ID, "bb": &f.a.ID})
	equal(t, "the former organization learns no name", names, map[string]string{"aa": f.alex.Name, "bb": ""})
	equal(t, "entries", f.logged(t), []string{"user.updated user ", "hwkey.updated hwkey k-1", "hwkey.updated hwkey k-2"})
	// Nor for an address: a username may be an email.
	must.Both(f.edit(t, f.alex, func(u *account.User) { u.Username, u.Email = "lex@bolt.example", "lex@bolt.example" }))(t)
	for serial, name := range map[string]string{"aa": "lex@bolt.example", "bb": gone.CommonName} {
		equal(t, "called by "+serial, must.Get(f.Certificate(t.Context(), access.All(), serial))(t).OwnerUsername, name)
	}
	must.Both(f.edit(t, f.alex, func(u *account.User) { u.OrganizationID, u.Role = nil, access.GlobalAdmin },
		func(c *account.UserChange) { c.MoveTokens = entry(audit.HWKeyUpdated, "hwkey") }))(t)
	equal(t, "of no organization", must.Get(f.Device(t.Context(), access.All(), "k-1"))(t).OrganizationID, nil)
}

func accountDisable(t *testing.T, f *fixture) {
	expired := f.signInAt(t, f.alex, Now.Add(-2*time.Hour))
	first, second, others := f.signIn(t, f.alex), f.signIn(t, f.alex), f.signIn(t, f.bea)
	must.OK(t, f.registerAgent(t, first.ID, "PEM", Now))
	f.seen = f.newest(t)
	must.Both(f.edit(t, f.alex, func(u *account.User) { u.IsActive = false }, endSessions))(t)
	for name, s := range map[string]signedIn{"expired": expired, "first": first, "second": second} {
		got := f.session(t, s.ID)
		equal(t, name+": active", got.Active, false)
		equal(t, name+": agent key", got.AgentPublicKey+got.AgentKeyFingerprint+got.AgentKeyMAC, "")
		equal(t, name+": family", f.state(t, s.token).Family.RevokedAt, &afterwards)
	}
	equal(t, "another's session", f.session(t, others.ID).Active, true)
	equal(t, "another's family", f.state(t, others.token).Family.RevokedAt, nil)
	equal(t, "entries", f.logged(t), []string{"user.updated user ",
		"session.ended session " + audit.ID(first.ID), "session.ended session " + audit.ID(second.ID)})
}

func accountSuspend(t *testing.T, f *fixture) {
	for serial, status := range map[string]hwkey.Status{"k-1": hwkey.Assigned, "k-2": hwkey.Active,
		"k-3": hwkey.Lost, "k-4": hwkey.Suspended} {
		f.device(t, serial, func(d *hwkey.Device) { d.Status = status })
	}
	f.device(t, "other", func(d *hwkey.Device) { d.OwnerID = &f.manager.ID })
	f.seen = f.newest(t)
	_, tokens := must.Both(f.edit(t, f.alex, func(*account.User) {}, func(c *account.UserChange) {
		c.SuspendTokens = ptr(entry(audit.HWKeyStatusChanged, "hwkey"))
		c.SuspendTokens.Details = "because"
	}))(t)
	equal(t, "left in use", tokens, 0)
	got := map[string]hwkey.Status{}
	for _, serial := range []string{"k-1", "k-2", "k-3", "k-4", "other"} {
		d := must.Get(f.Device(t.Context(), access.All(), serial))(t)
		got[serial] = d.Status
	}
	equal(t, "statuses", got, map[string]hwkey.Status{
		"k-1": hwkey.Suspended, "k-2": hwkey.Suspended, "k-3": hwkey.Lost, "k-4": hwkey.Suspended, "other": hwkey.Assigned})
	logged := must.Get(f.AuditAfter(t.Context(), f.seen, 10))(t)
	details := map[string]string{}
	for _, e := range logged[1:] {
		details[e.TargetID] = e.Details
		equal(t, "filed under", e.OrganizationID, &f.a.ID)
	}
	equal(t, "details", details, map[string]string{
		"k-1": "from assigned to suspended: because", "k-2": "from active to suspended: because"})
}

func accountUnlock(t *testing.T, f *fixture) {
	in := newAccount("locked", access.User, nil)
	in.LockedUntil = ptr(Now.Add(time.Hour))
	u := must.Get(f.InsertUser(t.Context(), in, entry(audit.UserCreated, "user")))(t)
	u, _ = must.Both(f.edit(t, u, func(*account.User) {}))(t)
	equal(t, "locked until", u.LockedUntil, in.LockedUntil)
	u, _ = must.Both(f.edit(t, u, func(*account.User) {}, func(c *account.UserChange) { c.Unlock = true }))(t)
	equal(t, "locked until", u.LockedUntil, nil)
}

func accountDisabledOrganization(t *testing.T, f *fixture) {
	f.editOrganization(t, f.b, func(o *account.Organization) { o.IsActive = false })
	_, err := f.InsertUser(t.Context(), newAccount("new", access.User, &f.b.ID), entry(audit.UserCreated, "user"))
	invalid(t, "a new account", err, "organization_id")
	equal(t, "its name", f.loginOf(t, "new"), 0)
}

func accountDomains(t *testing.T, f *fixture) {
	u := newAccount("new", access.User, &f.a.ID)
	u.Email = "new@example.com"
	invalid(t, "a new account", errOf(f.InsertUser(t.Context(), u, entry(audit.UserCreated, "user"))), "email")
	equal(t, "its name", f.loginOf(t, "new"), 0)
}
