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
	"github.com/keyward/keyward/test/must"
)

var userCases = map[string]func(*testing.T, *fixture){
	"insert and read":                    userRead,
	"names are taken, ignoring case":     userTaken,
	"no such organization":               userOrganization,
	"scope":                              userScope,
	"by login":                           userByLogin,
	"filters":                            userFilters,
	"filters by what they have":          userNarrowed,
	"count":                              userCount,
	"a new password":                     userPassword,
	"a new password keeps one's session": userPasswordKeeps,
	"a new password for nobody":          userPasswordNobody,
	"a new password for a former one":    userPasswordFormer,
}

func userRead(t *testing.T, f *fixture) {
	in := account.User{
		Username: "Zoë", Email: "Zoe@Example.org", PasswordHash: "$argon2id$", Role: access.OrgManager, OrganizationID: &f.a.ID,
		IsActive: true, MustChangePassword: true, AuthSource: account.OIDC, CreatedAt: Now, UpdatedAt: Now.Add(time.Second),
		PasswordChangedAt: Now.Add(time.Minute), LastLoginAt: ptr(Now.Add(time.Hour)), LockedUntil: ptr(Now.Add(2 * time.Hour)),
	}
	u := must.Get(f.InsertUser(t.Context(), in, entry(audit.UserCreated, "user")))(t)
	in.ID, in.OrganizationName = u.ID, "Acme"
	equal(t, "inserted", u, in)
	equal(t, "read", must.Get(f.User(t.Context(), access.All(), u.ID))(t), in)
	equal(t, "entries", f.logged(t), []string{"user.created user " + audit.ID(u.ID)})
	equal(t, "no organization", f.admin.OrganizationName, "")
}

func userTaken(t *testing.T, f *fixture) {
	before := must.Get(f.CountUsers(t.Context()))(t)
	for _, c := range []struct{ username, email string }{
		{"ALEX", "new@example.org"}, {"new", "Alex@Example.ORG"},
		{"alex@example.org", "new@example.org"}, {"new", "alex"},
	} {
		u := newAccount("x", access.User, nil)
		u.Username, u.Email = c.username, c.email
		_, err := f.InsertUser(t.Context(), u, entry(audit.UserCreated, "user"))
		refused(t, c.username+" "+c.email, err, fault.Conflict)
		if fl, ok := fault.As(err); ok && strings.Contains(strings.ToLower(fl.Detail), "alex") {
			t.Errorf("the detail echoes the value: %s", fl.Detail)
		}
	}
	own := newAccount("x", access.User, nil)
	own.Username, own.Email = "Own@example.org", "own@example.org"
	must.Get(f.InsertUser(t.Context(), own, entry(audit.UserCreated, "user")))(t) // a username may be the own email
	after := must.Get(f.CountUsers(t.Context()))(t)
	equal(t, "new accounts", after-before, 1)
	equal(t, "new entries", len(f.logged(t)), 1)
}

func userOrganization(t *testing.T, f *fixture) {
	_, err := f.InsertUser(t.Context(), newAccount("x", access.User, ptr(int64(99999))), entry("x.y", ""))
	invalid(t, "no such organization", err, "organization_id")
	equal(t, "entries", f.logged(t), nil)
	f.user(t, "x", access.User, &f.a.ID) // the name is still free
}

func userScope(t *testing.T, f *fixture) {
	for _, c := range []struct {
		name  string
		scope access.Scope
		id    int64
		found bool
	}{
		{"all", access.All(), f.bea.ID, true},
		{"own organization", inOrganization(f.a), f.alex.ID, true},
		{"other organization", inOrganization(f.b), f.alex.ID, false},
		{"no organization", inOrganization(f.a), f.admin.ID, false},
		{"oneself", ofUser(f.alex), f.alex.ID, true},
		{"another", ofUser(f.alex), f.manager.ID, false},
		{"no reach", access.Scope{}, f.alex.ID, false},
		{"absent", access.All(), 99999, false},
	} {
		u, err := f.User(t.Context(), c.scope, c.id)
		if c.found {
			must.OK(t, err)
			equal(t, c.name, u.ID, c.id)
			continue
		}
		refused(t, c.name, err, fault.NotFound)
	}
}

func userByLogin(t *testing.T, f *fixture) {
	for _, login := range []string{"alex", "ALEX", "alex@example.org", "Alex@EXAMPLE.org"} {
		equal(t, login, must.Get(f.UserByLogin(t.Context(), login))(t), f.alex)
	}
	for _, login := range []string{"", "ale", "alex%", "nobody"} {
		refused(t, login, errOf(f.UserByLogin(t.Context(), login)), fault.NotFound)
	}
}

func userFilters(t *testing.T, f *fixture) {
	f.disabled(t, "gone_1")
	f.user(t, "100%", access.User, nil)
	for _, c := range []struct {
		name  string
		until time.Time
	}{{"held", Now.Add(time.Microsecond)}, {"over", Now}} {
		u := newAccount(c.name, access.OrgManager, &f.b.ID)
		u.LockedUntil = &c.until
		must.Get(f.InsertUser(t.Context(), u, entry(audit.UserCreated, "user")))(t)
	}
	for _, c := range []struct {
		name   string
		scope  access.Scope
		filter account.UserFilter
		want   string
	}{
		{"locked now", access.All(), account.UserFilter{Locked: ptr(true)}, "held"},
		{"locked, in an organization", inOrganization(f.b), account.UserFilter{
			Locked: ptr(true), Role: access.OrgManager, IsActive: ptr(true),
		}, "held"},
		{"locked elsewhere", inOrganization(f.a), account.UserFilter{Locked: ptr(true)}, ""},
		{"locked and disabled", access.All(), account.UserFilter{Locked: ptr(true), IsActive: ptr(false)}, ""},
		{"not locked", inOrganization(f.b), account.UserFilter{Locked: ptr(false)}, "over bea"},
		{"all, newest first", access.All(), account.UserFilter{}, "over held 100% gone_1 bea alex manager admin"},
		{"an organization", inOrganization(f.a), account.UserFilter{}, "gone_1 alex manager"},
		{"oneself", ofUser(f.alex), account.UserFilter{}, "alex"},
		{"nobody", access.Scope{}, account.UserFilter{}, ""},
		{"role", access.All(), account.UserFilter{Role: access.OrgManager}, "over held manager"},
		{"role in organization", inOrganization(f.a), account.UserFilter{Role: access.User}, "gone_1 alex"},
		{"inactive", access.All(), account.UserFilter{IsActive: ptr(false)}, "gone_1"},
		{"inactive elsewhere", inOrganization(f.b), account.UserFilter{IsActive: ptr(false)}, ""},
		{"inactive of a role", inOrganization(f.a), account.UserFilter{IsActive: ptr(false), Role: access.User}, "gone_1"},
		{"active", inOrganization(f.a), account.UserFilter{IsActive: ptr(true)}, "alex manager"},
		{"organization", access.All(), account.UserFilter{OrganizationID: &f.b.ID}, "over held bea"},
		{"part of a name", access.All(), account.UserFilter{Q: "NAGE"}, "manager"},
		{"part of an email", access.All(), account.UserFilter{Q: "bea@EXAMPLE"}, "bea"},
		{"no pattern: percent", access.All(), account.UserFilter{Q: "0%"}, "100%"},
		{"no pattern: underscore", access.All(), account.UserFilter{Q: "e_1"}, "gone_1"},
		{"no pattern: backslash", access.All(), account.UserFilter{Q: `\`}, ""},
		{"search stays in scope", inOrganization(f.b), account.UserFilter{Q: "alex"}, ""},
	} {
		c.filter.Now = Now
		rows := walk(t, 2, func(p page.Request) (page.Page[account.User], error) {
			return f.ListUsers(t.Context(), c.scope, c.filter, p)
		})
		equal(t, c.name, strings.Join(names(rows, func(u account.User) string { return u.Username }), " "), c.want)
	}
}

func userCount(t *testing.T, f *fixture) {
	equal(t, "accounts", must.Get(f.CountUsers(t.Context()))(t), 4)
}

func userPassword(t *testing.T, f *fixture) {
	first, second, others := f.signIn(t, f.alex), f.signIn(t, f.alex), f.signIn(t, f.bea)
	at := Now.Add(time.Minute)
	f.seen = f.newest(t)
	must.OK(t, f.SetPassword(t.Context(), f.alex.ID, "new hash", Now, at, entry(audit.SessionEnded, "session"),
		entry(audit.PasswordChanged, "user")))
	u := must.Get(f.User(t.Context(), access.All(), f.alex.ID))(t)
	equal(t, "hash", u.PasswordHash, "new hash")
	equal(t, "changed", u.PasswordChangedAt, at)
	for _, s := range []signedIn{first, second} {
		equal(t, "session active", f.session(t, s.ID).Active, false)
		equal(t, "family revoked", f.state(t, s.token).Family.RevokedAt, &at)
	}
	equal(t, "another's session", f.session(t, others.ID).Active, true)
	if f.state(t, others.token).Family.RevokedAt != nil {
		t.Error("another's family is revoked")
	}
	equal(t, "entries", f.logged(t), []string{
		"auth.password_changed user ", "session.ended session " + audit.ID(first.ID), "session.ended session " + audit.ID(second.ID),
	})
}

func userPasswordKeeps(t *testing.T, f *fixture) {
	u := newAccount("fresh", access.User, nil)
	u.MustChangePassword = true
	u = must.Get(f.InsertUser(t.Context(), u, entry(audit.UserCreated, "user")))(t)
	must.OK(t, f.SetPassword(t.Context(), u.ID, "h", Now, Now.Add(time.Minute), entry(audit.SessionEnded, "session")))
	u = must.Get(f.User(t.Context(), access.All(), u.ID))(t)
	equal(t, "must change", u.MustChangePassword, false)
}

func userPasswordNobody(t *testing.T, f *fixture) {
	refused(t, "no such user", f.SetPassword(t.Context(), 99999, "h", Now, Now, entry("x.y", ""), entry("x.y", "")), fault.NotFound)
	equal(t, "entries", f.logged(t), nil)
}

// userPasswordFormer: knowing the password that an administrator is resetting does not get around
// the reset.
func userPasswordFormer(t *testing.T, f *fixture) {
	reset, _ := must.Both(f.edit(t, f.alex, func(u *account.User) {
		u.PasswordHash, u.PasswordChangedAt, u.MustChangePassword = "reset", afterwards, true
	}))(t)
	s := f.signIn(t, f.alex)
	f.seen = f.newest(t)
	err := f.SetPassword(t.Context(), f.alex.ID, "the thief's", f.alex.PasswordChangedAt, afterwards.Add(time.Second),
		entry("x.y", ""), entry("x.y", ""))
	refused(t, "the former password was checked", err, fault.InvalidCredentials)
	reset.LastLoginAt = ptr(Now)
	equal(t, "account", must.Get(f.User(t.Context(), access.All(), f.alex.ID))(t), reset)
	equal(t, "session", f.session(t, s.ID).Active, true)
	equal(t, "entries", f.logged(t), nil)
}
