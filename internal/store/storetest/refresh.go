package storetest

import (
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/session"
	"github.com/keyward/keyward/test/must"
)

var refreshCases = map[string]func(*testing.T, *fixture){
	"an unknown token":           refreshUnknown,
	"the state holds all":        refreshState,
	"a token is succeeded":       refreshSucceeds,
	"a new session begins":       refreshNewSession,
	"a refusal still writes":     refreshRefusalWrites,
	"a taken hash undoes it all": refreshUndone,
}

// give is a decision that issues a token.
func give(hash string, at time.Time) session.RefreshDecision {
	return session.RefreshDecision{NewToken: &session.RefreshToken{Hash: hash, CreatedAt: at}}
}

func (f *fixture) refresh(t *testing.T, hash string, d session.RefreshDecision) session.Session {
	t.Helper()
	return must.Get(f.Refresh(t.Context(), hash, func(session.RefreshState) session.RefreshDecision { return d }))(t)
}

func refreshUnknown(t *testing.T, f *fixture) {
	_, err := f.Refresh(t.Context(), "nothing", func(session.RefreshState) session.RefreshDecision {
		t.Error("there is nothing to decide on")
		return session.RefreshDecision{}
	})
	refused(t, "unknown", err, fault.NotFound)
}

func refreshState(t *testing.T, f *fixture) {
	s := f.signIn(t, f.alex)
	state := f.state(t, s.token)
	equal(t, "session", state.Session, &s.Session)
	u := must.Get(f.User(t.Context(), access.All(), f.alex.ID))(t)
	equal(t, "user", state.User, u)
	equal(t, "successor", state.Successor, nil)
}

func refreshSucceeds(t *testing.T, f *fixture) {
	s := f.signIn(t, f.alex)
	at := Now.Add(time.Minute)
	got := f.refresh(t, s.token, give("second", at))
	equal(t, "session", got, s.Session)
	old := f.state(t, s.token)
	equal(t, "used", old.Token.UsedAt, &at)
	if old.Successor == nil || old.Token.Successor == nil || *old.Token.Successor != old.Successor.ID {
		t.Fatalf("the used token shows no successor: %+v", old.Token)
	}
	equal(t, "successor", *old.Successor, session.RefreshToken{
		ID: old.Successor.ID, FamilyID: s.FamilyID, Hash: "second", CreatedAt: at})
	equal(t, "successor by its hash", f.state(t, "second").Token, *old.Successor)
}

func refreshNewSession(t *testing.T, f *fixture) {
	s := f.signIn(t, f.alex)
	f.seen = f.newest(t)
	at := Now.Add(2 * time.Hour)
	next, _ := fresh(f.alex.ID, at)
	d := give("second", at)
	d.NewSession = &next
	d.Entries = []audit.Entry{{Action: audit.Refresh, TargetType: "session", TargetID: "7"}, entry(audit.SessionCreated, "session")}
	got := f.refresh(t, s.token, d)
	if got.ID == s.ID {
		t.Fatal("no new session began")
	}
	next.ID, next.FamilyID, next.OrganizationID = got.ID, s.FamilyID, &f.a.ID
	equal(t, "returned", got, next)
	equal(t, "read", f.session(t, got.ID), next)
	equal(t, "family's session", f.state(t, "second").Session, &next)
	equal(t, "entries", f.logged(t), []string{"auth.refresh session 7", "session.created session " + audit.ID(got.ID)})
}

func refreshRefusalWrites(t *testing.T, f *fixture) {
	s := f.signIn(t, f.alex)
	f.seen = f.newest(t)
	_, err := f.Refresh(t.Context(), s.token, func(session.RefreshState) session.RefreshDecision {
		return session.RefreshDecision{Refuse: fault.New(fault.TokenInvalid, "", "no"), Entries: []audit.Entry{entry(audit.RefreshReuse, "")}}
	})
	refused(t, "refused", err, fault.TokenInvalid)
	equal(t, "entries", f.logged(t), []string{"auth.refresh_reuse  "})
}

func refreshUndone(t *testing.T, f *fixture) {
	s := f.signIn(t, f.alex)
	f.seen = f.newest(t)
	d := give(s.token, Now) // a hash that exists
	d.Entries = []audit.Entry{entry("x.y", "")}
	_, err := f.Refresh(t.Context(), s.token, func(session.RefreshState) session.RefreshDecision { return d })
	if err == nil {
		t.Fatal("two tokens have the same hash")
	}
	equal(t, "entries", f.logged(t), nil)
	equal(t, "used", f.state(t, s.token).Token.UsedAt, nil)
}
