package storetest

import (
	"fmt"
	"testing"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/organization"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/user"
	"github.com/keyward/keyward/test/must"
	"pgregory.net/rapid"
)

var accountProperties = map[string]func(*testing.T, *fixture){
	"whoever does what, the invariants hold": invariantsHold,
}

// invariants drives the services of accounts and organizations with random
// requests of random people, right and wrong ones.
type invariants struct {
	f             *fixture
	users         *user.Service
	organizations *organization.Service
	people        []user.User // as every run begins
	ids           []int64     // of accounts
	domains       []int64     // of organizations
	granted       int
}

func invariantsHold(t *testing.T, f *fixture) {
	m := &invariants{
		f: f, users: &user.Service{Store: f, Organizations: f, Now: stopped}, organizations: &organization.Service{Store: f, Now: stopped},
		domains: []int64{f.a.ID, f.b.ID, 99999},
	}
	second := f.user(t, "second", access.OrgManager, &f.b.ID)
	deputy := f.user(t, "deputy", access.GlobalAdmin, nil)
	m.people = []user.User{f.admin, deputy, f.manager, f.alex, f.bea, second}
	for _, u := range m.people {
		m.ids = append(m.ids, u.ID)
	}
	rapid.Check(t, func(rt *rapid.T) {
		m.reset(t)
		for range rapid.IntRange(1, 15).Draw(rt, "steps") {
			m.step(rt)
		}
	})
	if m.granted == 0 {
		t.Error("not one request was granted")
	}
}

// reset lets every run begin alike: a has a domain, b takes any email and
// has members with another one. Names are cleared first: a run may have
// exchanged them.
func (m *invariants) reset(t *testing.T) {
	t.Helper()
	for _, o := range []organization.Organization{m.f.a, m.f.b} {
		m.f.editOrganization(t, o, func(now *organization.Organization) { now.IsActive, now.EmailDomains = true, nil })
	}
	for _, prefix := range []string{"cleared-", ""} {
		for _, u := range m.people {
			must.Both(m.f.edit(t, u, func(now *user.User) {
				now.Email, now.Role, now.OrganizationID, now.IsActive = prefix+u.Username+"@example.org", u.Role, u.OrganizationID, true
				if access.SameID(u.OrganizationID, &m.f.b.ID) {
					now.Email = prefix + u.Username + "@example.com"
				}
			}))(t)
		}
	}
	m.f.editOrganization(t, m.f.a, func(now *organization.Organization) { now.EmailDomains = []string{"example.org"} })
}

func (m *invariants) all(rt *rapid.T) map[int64]user.User {
	out := map[int64]user.User{}
	p := must.Get(m.f.ListUsers(rt.Context(), access.All(), user.Filter{}, page.Request{Limit: page.MaxLimit}))(rt)
	for _, u := range p.Items {
		out[u.ID] = u
	}
	return out
}

// step lets somebody ask for something and looks at every account after.
func (m *invariants) step(rt *rapid.T) {
	before := m.all(rt)
	actor := before[rapid.SampledFrom(m.ids).Draw(rt, "actor")]
	if actor.MaySignIn() != nil {
		return // refused by check 3
	}
	var err error
	switch op := rapid.SampledFrom([]access.Operation{"update-user", "update-user", "update-user",
		"unlock-user", "update-organization"}).Draw(rt, "operation"); op {
	case "update-organization":
		var scope access.Scope
		if scope, err = access.Can(actorOf(actor), op); err == nil {
			_, err = m.organizations.Update(rt.Context(), actorOf(actor), scope, rapid.SampledFrom(m.domains).Draw(rt, "organization"),
				m.organizationPatch(rt))
		}
	default:
		target := rapid.SampledFrom(m.ids).Draw(rt, "target")
		var scope access.Scope
		if scope, err = access.Can(actorOf(actor), op); err != nil {
			break
		}
		if op == "unlock-user" {
			_, err = m.users.Unlock(rt.Context(), actorOf(actor), scope, target)
		} else {
			_, err = m.users.Update(rt.Context(), actorOf(actor), scope, target, m.userPatch(rt))
		}
	}
	if err == nil {
		m.granted++
	} else if code := fault.CodeOf(err); code == fault.Internal {
		rt.Fatal(err)
	}
	m.hold(rt, actor, before, err)
}

func (m *invariants) organizationPatch(rt *rapid.T) organization.Patch {
	var p organization.Patch
	if rapid.Bool().Draw(rt, "activity") {
		p.IsActive = ptr(rapid.Bool().Draw(rt, "active"))
	}
	if rapid.Bool().Draw(rt, "restrict") {
		p.EmailDomains = ptr(rapid.SampledFrom([][]string{{}, {"example.org"}, {"example.org", "example.com"}}).Draw(rt, "domains"))
	}
	return p
}

func (m *invariants) userPatch(rt *rapid.T) user.Patch {
	var p user.Patch
	if rapid.Bool().Draw(rt, "role given") {
		p.Role = ptr(rapid.SampledFrom([]access.Role{access.GlobalAdmin, access.OrgManager, access.User}).Draw(rt, "role"))
	}
	if rapid.Bool().Draw(rt, "organization given") {
		var to *int64
		if id := rapid.SampledFrom(append([]int64{0}, m.domains...)).Draw(rt, "to"); id != 0 {
			to = &id
		}
		p.OrganizationID = &to
	}
	if rapid.Bool().Draw(rt, "activity") {
		p.IsActive = ptr(rapid.Bool().Draw(rt, "active"))
		p.SuspendTokens = rapid.Bool().Draw(rt, "suspend")
	}
	if rapid.Bool().Draw(rt, "email given") {
		p.Email = ptr(fmt.Sprint(rapid.SampledFrom([]string{"alex", "bea", "x", "y"}).Draw(rt, "name"), "@",
			rapid.SampledFrom([]string{"example.org", "example.com"}).Draw(rt, "domain")))
	}
	return p
}

// hold is the contract's list of invariants.
func (m *invariants) hold(rt *rapid.T, actor user.User, before map[int64]user.User, err error) {
	after := m.all(rt)
	admins := 0
	for id, u := range after {
		was := before[id]
		unchanged := u.Email == was.Email && u.Role == was.Role && access.SameID(u.OrganizationID, was.OrganizationID) &&
			u.IsActive == was.IsActive
		switch {
		case u.Role == access.GlobalAdmin && u.OrganizationID != nil:
			rt.Errorf("global admin %s is of an organization", u.Username)
		case u.Role == access.OrgManager && u.OrganizationID == nil:
			rt.Errorf("manager %s is of no organization", u.Username)
		case err != nil && !unchanged:
			rt.Errorf("refused (%v), and %s changed: %+v to %+v", err, u.Username, was, u)
		case id == actor.ID && (u.Role != was.Role || u.IsActive != was.IsActive):
			rt.Errorf("%s changed their own role or activity", u.Username)
		case actor.Role == access.User && !unchanged:
			rt.Errorf("user %s changed %s", actor.Username, u.Username)
		case actor.Role == access.OrgManager && !unchanged &&
			(value(was.OrganizationID) != *actor.OrganizationID || value(u.OrganizationID) != *actor.OrganizationID):
			rt.Errorf("manager %s of %d moved or changed %s: %+v to %+v", actor.Username, *actor.OrganizationID, u.Username, was, u)
		case actor.Role != access.GlobalAdmin && (was.Role == access.GlobalAdmin) != (u.Role == access.GlobalAdmin):
			rt.Errorf("%s made or unmade the admin %s", actor.Username, u.Username)
		}
		if u.Role == access.GlobalAdmin && u.IsActive {
			admins++
		}
		m.member(rt, u)
	}
	if admins == 0 {
		rt.Error("there is no active global admin")
	}
}

// member: the account's organization takes its email, and both its names lead
// to it.
func (m *invariants) member(rt *rapid.T, u user.User) {
	for _, login := range []string{u.Username, u.Email} {
		if found, err := m.f.UserByLogin(rt.Context(), login); err != nil || found.ID != u.ID {
			rt.Errorf("%s leads to account %d (%v), want %d", login, found.ID, err, u.ID)
		}
	}
	if u.OrganizationID == nil {
		return
	}
	o, err := m.f.Organization(rt.Context(), access.All(), *u.OrganizationID)
	if err != nil || !o.Accepts(u.Email) {
		rt.Errorf("%s is of organization %s, whose domains are %v (%v)", u.Email, o.Name, o.EmailDomains, err)
	}
}

func value(id *int64) int64 {
	if id == nil {
		return 0
	}
	return *id
}
