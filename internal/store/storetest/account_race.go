package storetest

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/session"
	"github.com/keyward/keyward/test/must"
)

var accountRaces = map[string]func(*testing.T, *fixture){
	"the last global admin stays":                 raceLastAdmin,
	"one email, many claimants":                   raceEmail,
	"disabling against signing in and refreshing": raceDisable,
	"domains against a member's email":            raceDomains,
	"a token for whom one moves or disables":      raceAssign,
}

// raceLastAdmin lets every admin demote or disable the next one at once.
func raceLastAdmin(t *testing.T, f *fixture) {
	admins := []account.User{f.admin}
	for i := 1; i < racers; i++ {
		admins = append(admins, f.user(t, fmt.Sprint("admin", i), access.GlobalAdmin, nil))
	}
	svc := &account.Users{Store: f, Now: stopped}
	outcomes := race(func(i int) error {
		victim := admins[(i+1)%racers]
		patch := account.UserPatch{IsActive: ptr(false)}
		if i%2 == 0 {
			patch = account.UserPatch{Role: ptr(access.User)}
		}
		return errOf(svc.Update(t.Context(), actorOf(admins[i]), access.All(), victim.ID, patch))
	})
	equal(t, "outcomes", outcomes, map[fault.Code]int{"": racers - 1, fault.Conflict: 1})
	filter := account.UserFilter{Role: access.GlobalAdmin, IsActive: ptr(true)}
	p, err := f.ListUsers(t.Context(), access.All(), filter, page.Request{Limit: 100})
	must.OK(t, err)
	equal(t, "active admins", len(p.Items), 1)
}

func raceEmail(t *testing.T, f *fixture) {
	users := make([]account.User, racers)
	for i := range users {
		users[i] = f.user(t, fmt.Sprint("racer", i), access.User, nil)
	}
	f.seen = f.newest(t)
	equal(t, "outcomes", race(func(i int) error {
		if i%4 == 0 {
			u := newAccount(fmt.Sprint("new", i), access.User, nil)
			u.Email = "Prize@example.org"
			return errOf(f.InsertUser(t.Context(), u, entry(audit.UserCreated, "user")))
		}
		return errOf2(f.edit(t, users[i], func(u *account.User) { u.Email = "prize@example.org" }))
	}), oneWins)
	equal(t, "entries", len(f.logged(t)), 1)
}

// signOrRefresh keeps signing in and refreshing by the rules.
func (f *fixture) signOrRefresh(t *testing.T, u account.User, old signedIn, n *atomic.Int64) error {
	name := fmt.Sprint("racing ", n.Add(1))
	if n.Load()%2 == 0 {
		s, family := fresh(u.ID, Now)
		_, err := f.BeginSession(t.Context(), s, family, session.RefreshToken{Hash: name, CreatedAt: Now}, entry(audit.SessionCreated, "session"))
		return err
	}
	_, err := f.Refresh(t.Context(), old.token, func(state session.RefreshState) session.RefreshDecision {
		if err := state.User.MaySignIn(); err != nil || state.Family.RevokedAt != nil {
			return session.RefreshDecision{Refuse: fault.New(fault.AccountDisabled, "", "disabled or revoked")}
		}
		d := give(name, Now)
		d.Replace = state.Token.UsedAt != nil
		s, _ := fresh(state.User.ID, Now)
		d.NewSession = &s // as if the hour was over
		return d
	})
	return err
}

func (f *fixture) live(t *testing.T, u account.User) int {
	t.Helper()
	n := 0
	for _, s := range walk(t, 100, func(p page.Request) (page.Page[session.Session], error) {
		return f.ListSessions(t.Context(), access.All(), u.ID, p)
	}) {
		if s.Live(Now) {
			n++
		}
	}
	return n
}

// raceDisable: whichever comes first, a disabled account has no live session.
func raceDisable(t *testing.T, f *fixture) {
	svc := &account.Users{Store: f, Now: stopped}
	var n atomic.Int64
	for round := range 5 {
		u := f.user(t, fmt.Sprint("round", round), access.User, &f.a.ID)
		old := f.signIn(t, u)
		outcomes := race(func(i int) error {
			if i == racers/2 {
				return errOf(svc.Update(t.Context(), actorOf(f.admin), access.All(), u.ID, account.UserPatch{IsActive: ptr(false)}))
			}
			return f.signOrRefresh(t, u, old, &n)
		})
		equal(t, "answers", outcomes[""]+outcomes[fault.AccountDisabled], racers)
		equal(t, "live sessions", f.live(t, u), 0)
	}
}

// raceDomains: whichever is first, members' emails are in the domains afterwards.
func raceDomains(t *testing.T, f *fixture) {
	users, organizations := &account.Users{Store: f, Now: stopped}, &account.Organizations{Store: f, Now: stopped}
	for round := range 5 {
		o, err := f.InsertOrganization(t.Context(), account.Organization{
			Name: fmt.Sprint("Round ", round), IsActive: true, CreatedAt: Now, UpdatedAt: Now}, entry(audit.OrganizationCreated, "organization"))
		must.OK(t, err)
		u := f.user(t, fmt.Sprint("round", round), access.User, &o.ID)
		race(func(i int) error {
			switch i % 4 {
			case 0:
				_, err := organizations.Update(t.Context(), actorOf(f.admin), access.All(), o.ID,
					account.OrganizationPatch{EmailDomains: ptr([]string{"example.org"})})
				return err
			case 1:
				in := newAccount(fmt.Sprint("new", round, "-", i), access.User, &o.ID)
				in.Email = fmt.Sprint("new", round, "-", i, "@elsewhere.example")
				return errOf(f.InsertUser(t.Context(), in, entry(audit.UserCreated, "user")))
			default:
				email := fmt.Sprint("round", round, "@elsewhere.example")
				return errOf(users.Update(t.Context(), actorOf(f.admin), access.All(), u.ID, account.UserPatch{Email: &email}))
			}
		})
		o = must.Get(f.Organization(t.Context(), access.All(), o.ID))(t)
		p := must.Get(f.ListUsers(t.Context(), access.All(), account.UserFilter{OrganizationID: &o.ID}, page.Request{Limit: 100}))(t)
		for _, u := range p.Items {
			if !o.Accepts(u.Email) {
				t.Errorf("%s is a member, and the domains are %v", u.Email, o.EmailDomains)
			}
		}
	}
}
