package storetest

import (
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/session"
	"github.com/keyward/keyward/test/must"
)

var sessionListCases = map[string]func(*testing.T, *fixture){
	"a user's, newest first": sessionList,
	"scope":                  sessionListScope,
	"ending an old one leaves what the family became": sessionEndOld,
}

func (f *fixture) sessionsOf(t *testing.T, scope access.Scope, u account.User) []int64 {
	t.Helper()
	ids := []int64{}
	for _, s := range walk(t, 2, func(p page.Request) (page.Page[session.Session], error) {
		return f.ListSessions(t.Context(), scope, u.ID, p)
	}) {
		ids = append(ids, s.ID)
	}
	return ids
}

func sessionList(t *testing.T, f *fixture) {
	expired := f.signInAt(t, f.alex, Now.Add(-2*time.Hour))
	ended, live := f.signIn(t, f.alex), f.signIn(t, f.alex)
	f.signIn(t, f.bea)
	must.OK(t, f.EndSession(t.Context(), ended.ID, afterwards))
	equal(t, "ids", f.sessionsOf(t, access.All(), f.alex), []int64{live.ID, ended.ID, expired.ID})
	p := must.Get(f.ListSessions(t.Context(), access.All(), f.alex.ID, page.Request{Limit: 1}))(t)
	equal(t, "the newest", p.Items, []session.Session{f.session(t, live.ID)})
}

func sessionListScope(t *testing.T, f *fixture) {
	alex, admin := f.signIn(t, f.alex), f.signIn(t, f.admin)
	for _, c := range []struct {
		name  string
		scope access.Scope
		of    account.User
		want  []int64
	}{
		{"oneself", ofUser(f.alex), f.alex, []int64{alex.ID}},
		{"another", ofUser(f.bea), f.alex, nil},
		{"own organization", inOrganization(f.a), f.alex, []int64{alex.ID}},
		{"other organization", inOrganization(f.b), f.alex, nil},
		{"of no organization", inOrganization(f.a), f.admin, nil},
		{"everything", access.All(), f.admin, []int64{admin.ID}},
		{"nothing", access.Scope{}, f.alex, nil},
	} {
		equal(t, c.name, f.sessionsOf(t, c.scope, c.of), c.want)
	}
}

func sessionEndOld(t *testing.T, f *fixture) {
	old := f.signInAt(t, f.alex, Now.Add(-2*time.Hour))
	next := must.Get(f.Refresh(t.Context(), old.token, func(state session.RefreshState) session.RefreshDecision {
		d := give("next", Now)
		s, _ := fresh(state.User.ID, Now)
		d.NewSession = &s
		return d
	}))(t)
	must.OK(t, f.EndSession(t.Context(), old.ID, afterwards))
	equal(t, "the present session", f.session(t, next.ID).Active, true)
	equal(t, "the family", f.state(t, "next").Family.RevokedAt, nil)
	must.OK(t, f.EndSession(t.Context(), next.ID, afterwards))
	equal(t, "the family at last", f.state(t, "next").Family.RevokedAt, &afterwards)
}
