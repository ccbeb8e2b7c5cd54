package storetest

import (
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/session"
	"github.com/keyward/keyward/internal/signon"
	"github.com/keyward/keyward/test/must"
)

var signonCases = map[string]func(*testing.T, *fixture){
	"a round is used once, by its browser":       signonState,
	"a round has one winner":                     signonStateRace,
	"a code is used once":                        signonCode,
	"a code begins one session":                  signonCodeSession,
	"a code that comes twice ends the session":   signonReplay,
	"a replay ends the family after its session": signonReplayLate,
	"expired rounds and codes go":                signonExpired,
}

const issuer = "https://id.example.org"

func round(hash string) signon.State {
	return signon.State{
		Hash: hash, BrowserHash: "browser", Issuer: issuer, ReturnTo: "/tokens?q=1", Reauthenticate: true,
		CreatedAt: Now, ExpiresAt: Now.Add(10 * time.Minute),
	}
}

func (f *fixture) code(t *testing.T, hash string) signon.Code {
	t.Helper()
	c := signon.Code{
		Hash: hash, BrowserHash: "browser", UserID: f.alex.ID, AuthTime: Now.Add(-time.Hour), CreatedAt: Now, ExpiresAt: Now.Add(time.Minute),
	}
	must.OK(t, f.AddCode(t.Context(), c))
	return c
}

func signonState(t *testing.T, f *fixture) {
	in := round("h")
	must.OK(t, f.AddState(t.Context(), in))
	for what, try := range map[string]func() (signon.State, error){
		"another browser": func() (signon.State, error) { return f.TakeState(t.Context(), "h", "other", Now) },
		"unknown":         func() (signon.State, error) { return f.TakeState(t.Context(), "x", "browser", Now) },
		"expired":         func() (signon.State, error) { return f.TakeState(t.Context(), "h", "browser", in.ExpiresAt) },
	} {
		refused(t, what, errOf(try()), fault.NotFound)
	}
	equal(t, "round", must.Get(f.TakeState(t.Context(), "h", "browser", in.ExpiresAt.Add(-time.Microsecond)))(t), in)
	refused(t, "used", errOf(f.TakeState(t.Context(), "h", "browser", Now)), fault.NotFound)
}

func signonStateRace(t *testing.T, f *fixture) {
	must.OK(t, f.AddState(t.Context(), round("h")))
	equal(t, "outcomes", race(func(int) error {
		return errOf(f.TakeState(t.Context(), "h", "browser", Now))
	}), map[fault.Code]int{"": 1, fault.NotFound: racers - 1})
}

func signonCode(t *testing.T, f *fixture) {
	in := f.code(t, "h")
	refused(t, "unknown", errOf(f.Code(t.Context(), "x")), fault.NotFound)
	got := must.Get(f.Code(t.Context(), "h"))(t)
	equal(t, "code", got, in)
	equal(t, "outcomes", race(func(int) error {
		return f.TakeCode(t.Context(), "h", Now.Add(time.Second), entry(audit.Reauthenticate, "user"))
	}), oneWins)
	in.UsedAt = ptr(Now.Add(time.Second))
	got = must.Get(f.Code(t.Context(), "h"))(t)
	equal(t, "used code", got, in)
	equal(t, "entries", f.logged(t), []string{"auth.reauthenticated user "})
	must.OK(t, f.AddCode(t.Context(), signon.Code{Hash: "untold", UserID: f.alex.ID, CreatedAt: Now, ExpiresAt: Now}))
	got = must.Get(f.Code(t.Context(), "untold"))(t)
	equal(t, "a time that was not told", got.AuthTime, time.Time{})
}

func (f *fixture) signInByCode(t *testing.T, hash string) (session.Session, error) {
	t.Helper()
	s, family := fresh(f.alex.ID, Now)
	s.AuthMethod, family.Code = session.OIDC, hash
	return f.BeginSession(t.Context(), s, family, session.RefreshToken{Hash: "token of " + hash, CreatedAt: Now}, entry(audit.Login, "user"))
}

func signonCodeSession(t *testing.T, f *fixture) {
	f.code(t, "h")
	s := must.Get(f.signInByCode(t, "h"))(t)
	equal(t, "method", f.session(t, s.ID).AuthMethod, session.OIDC)
	equal(t, "family", must.Get(f.Code(t.Context(), "h"))(t).FamilyID, s.FamilyID)
	for _, hash := range []string{"h", "unknown"} {
		refused(t, hash, errOf(f.signInByCode(t, hash)), fault.Conflict)
	}
	equal(t, "entries", f.logged(t), []string{"auth.login user "})
}

func signonReplay(t *testing.T, f *fixture) {
	f.code(t, "h")
	s := must.Get(f.signInByCode(t, "h"))(t)
	other := f.signIn(t, f.alex)
	f.seen = f.newest(t)
	for range 2 {
		must.OK(t, f.ReplayedCode(t.Context(), "h", Now.Add(time.Second), entry(audit.SessionEnded, "session"), entry(audit.Login, "user")))
	}
	equal(t, "its session", f.session(t, s.ID).Active, false)
	equal(t, "its family", f.state(t, "token of h").Family.RevokedAt, ptr(Now.Add(time.Second)))
	equal(t, "another session", f.session(t, other.ID).Active, true)
	equal(t, "entries", f.logged(t), []string{"session.ended session " + audit.ID(s.ID), "auth.login user ", "auth.login user "})
	f.code(t, "unused")
	must.OK(t, f.ReplayedCode(t.Context(), "unused", Now, entry(audit.SessionEnded, "session")))
	equal(t, "another session", f.session(t, other.ID).Active, true)
}

// signonReplayLate ends the session that the family has by then.
func signonReplayLate(t *testing.T, f *fixture) {
	f.code(t, "h")
	must.Get(f.signInByCode(t, "h"))(t)
	later, _ := fresh(f.alex.ID, Now.Add(2*time.Hour))
	s := must.Get(f.Refresh(t.Context(), "token of h", func(session.RefreshState) session.RefreshDecision {
		return session.RefreshDecision{NewToken: &session.RefreshToken{Hash: "next", CreatedAt: Now}, NewSession: &later}
	}))(t)
	must.OK(t, f.ReplayedCode(t.Context(), "h", Now.Add(2*time.Hour), entry(audit.SessionEnded, "session")))
	equal(t, "the present session", f.session(t, s.ID).Active, false)
	equal(t, "the family", f.state(t, "next").Family.RevokedAt, ptr(Now.Add(2*time.Hour)))
}

func signonExpired(t *testing.T, f *fixture) {
	for _, hash := range []string{"a", "b", "c"} {
		must.OK(t, f.AddState(t.Context(), round(hash)))
		f.code(t, hash)
	}
	late := round("late")
	late.ExpiresAt = Now.Add(time.Hour)
	must.OK(t, f.AddState(t.Context(), late))
	states, codes := Now.Add(11*time.Minute), Now.Add(30*time.Second)
	for _, want := range []int64{2, 1, 0} {
		equal(t, "gone", must.Get(f.DeleteExpiredSignOns(t.Context(), states, codes, 2))(t), want)
	}
	must.Get(f.TakeState(t.Context(), "late", "browser", Now))(t)
	must.Get(f.Code(t.Context(), "a"))(t)
	must.Get(f.DeleteExpiredSignOns(t.Context(), states, Now.Add(time.Hour), 9))(t)
	refused(t, "an old code", errOf(f.Code(t.Context(), "a")), fault.NotFound)
	must.Get(f.User(t.Context(), access.All(), f.alex.ID))(t)
}
