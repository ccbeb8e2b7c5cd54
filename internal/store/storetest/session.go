package storetest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/session"
	"github.com/keyward/keyward/test/must"
)

var sessionCases = map[string]func(*testing.T, *fixture){
	"begin and read":                      sessionBegin,
	"a disabled account begins none":      sessionDisabled,
	"authenticate":                        sessionAuthenticate,
	"scope":                               sessionScope,
	"end":                                 sessionEnd,
	"register an agent":                   sessionAgent,
	"expired ones are removed":            sessionCleanup,
	"at most so many are removed at once": sessionCleanupLimit,
	"a removed session's number is not used again": sessionNumbers,
}

// signedIn is a session with its first refresh token's hash.
type signedIn struct {
	session.Session
	token string
}

// fresh is a session of one hour, and its family of a week, from at.
func fresh(userID int64, at time.Time) (session.Session, session.Family) {
	return session.Session{
		UserID: userID, TokenHash: "token hash", IPAddress: "192.0.2.1", UserAgent: "Browser/1", MachineID: "machine",
		Hostname: "desk", CreatedAt: at, ExpiresAt: at.Add(time.Hour), Active: true, AuthenticatedAt: at, AuthMethod: session.Password,
	}, session.Family{UserID: userID, CreatedAt: at, ExpiresAt: at.Add(7 * 24 * time.Hour), UserAgent: "browser"}
}

func (f *fixture) signIn(t *testing.T, u account.User) signedIn { return f.signInAt(t, u, Now) }

func (f *fixture) signInAt(t *testing.T, u account.User, at time.Time) signedIn {
	t.Helper()
	s, family := fresh(u.ID, at)
	hash := fmt.Sprintf("first token of %d after entry %d", u.ID, f.newest(t))
	s, err := f.BeginSession(t.Context(), s, family, session.RefreshToken{Hash: hash, CreatedAt: at}, entry(audit.SessionCreated, "session"))
	must.OK(t, err)
	return signedIn{s, hash}
}

// registerAgent registers a key; alex is notified when it replaces another.
func (f *fixture) registerAgent(t *testing.T, id int64, key string, at time.Time, entries ...audit.Entry) error {
	t.Helper()
	_, err := f.register(t, id, session.AgentKey{
		PublicKey: key, Fingerprint: key + " fingerprint", MAC: key + " MAC", Hostname: "host", At: at}, entries...)
	return err
}

// register is the same for any agent, and returns the state that the decision saw.
func (f *fixture) register(t *testing.T, id int64, key session.AgentKey, entries ...audit.Entry) (saw session.AgentState, err error) {
	t.Helper()
	err = f.RegisterAgent(t.Context(), id, key, func(state session.AgentState) (session.AgentDecision, error) {
		saw = state
		d := session.AgentDecision{Entries: entries}
		if state.Replaces {
			d.Notices = []notify.Message{
				{To: notify.Audience{UserID: f.alex.ID}, Kind: notify.AgentReplaced, Message: key.PublicKey, At: key.At}}
		}
		return d, nil
	})
	return saw, err
}

func (f *fixture) session(t *testing.T, id int64) session.Session {
	t.Helper()
	return must.Get(f.Session(t.Context(), access.All(), id))(t)
}

func sessionBegin(t *testing.T, f *fixture) {
	at := Now.Add(5 * time.Second)
	in, family := fresh(f.alex.ID, at)
	s := must.Get(f.BeginSession(t.Context(), in, family, session.RefreshToken{Hash: "h", CreatedAt: at},
		entry(audit.Login, "user"), entry(audit.SessionCreated, "session")))(t)
	if s.ID == 0 || s.FamilyID == 0 {
		t.Fatalf("want an id and a family, got %d and %d", s.ID, s.FamilyID)
	}
	in.ID, in.FamilyID, in.OrganizationID = s.ID, s.FamilyID, &f.a.ID
	equal(t, "returned", s, in)
	equal(t, "read", f.session(t, s.ID), in)
	equal(t, "last login", must.Get(f.User(t.Context(), access.All(), f.alex.ID))(t).LastLoginAt, &at)
	equal(t, "entries", f.logged(t), []string{"auth.login user ", "session.created session " + audit.ID(s.ID)})
	state := f.state(t, "h")
	family.ID, family.SessionID = s.FamilyID, s.ID
	equal(t, "family", state.Family, family)
	equal(t, "token", state.Token, session.RefreshToken{ID: state.Token.ID, FamilyID: s.FamilyID, Hash: "h", CreatedAt: at})
}

func sessionDisabled(t *testing.T, f *fixture) {
	u := f.disabled(t, "gone")
	f.seen = f.newest(t)
	s, family := fresh(u.ID, Now)
	_, err := f.BeginSession(t.Context(), s, family, session.RefreshToken{Hash: "h", CreatedAt: Now}, entry("x.y", ""))
	refused(t, "disabled", err, fault.AccountDisabled)
	_, err = f.Refresh(t.Context(), "h", func(session.RefreshState) session.RefreshDecision {
		t.Error("the refresh token was written")
		return session.RefreshDecision{Refuse: errRefused}
	})
	refused(t, "its token", err, fault.NotFound)
	u = must.Get(f.User(t.Context(), access.All(), u.ID))(t)
	equal(t, "last login", u.LastLoginAt, nil)
	equal(t, "entries", f.logged(t), nil)
}

func sessionAuthenticate(t *testing.T, f *fixture) {
	s := f.signIn(t, f.alex)
	got, u := must.Both(f.Authenticate(t.Context(), s.ID))(t)
	equal(t, "session", got, s.Session)
	want := f.alex
	want.PasswordHash, want.LastLoginAt = "", ptr(Now)
	u.PasswordHash = ""
	equal(t, "user", u, want)
	_, u = must.Both(f.Authenticate(t.Context(), f.signIn(t, f.admin).ID))(t)
	equal(t, "user of no organization", u.OrganizationName, "")

	old := f.signInAt(t, f.alex, Now.Add(-48*time.Hour))
	must.OK(t, f.EndSession(t.Context(), s.ID, Now))
	for _, id := range []int64{old.ID, s.ID} { // no judgement is made
		got, _ := must.Both(f.Authenticate(t.Context(), id))(t)
		equal(t, "live", got.Live(Now), false)
	}
	refused(t, "absent", errOf2(f.Authenticate(t.Context(), 99999)), fault.NotFound)
}

func sessionScope(t *testing.T, f *fixture) {
	s := f.signIn(t, f.alex)
	for name, scope := range map[string]access.Scope{"all": access.All(), "organization": inOrganization(f.a), "own": ofUser(f.alex)} {
		equal(t, name, must.Get(f.Session(t.Context(), scope, s.ID))(t), s.Session)
	}
	for name, scope := range map[string]access.Scope{"other organization": inOrganization(f.b), "another": ofUser(f.manager), "none": {}} {
		refused(t, name, errOf(f.Session(t.Context(), scope, s.ID)), fault.NotFound)
	}
	refused(t, "absent", errOf(f.Session(t.Context(), access.All(), 99999)), fault.NotFound)
}

func sessionEnd(t *testing.T, f *fixture) {
	s, other := f.signIn(t, f.alex), f.signIn(t, f.alex)
	must.OK(t, f.registerAgent(t, s.ID, "PEM", Now))
	f.seen = f.newest(t)
	at := Now.Add(time.Minute)
	for range 2 { // the second time writes nothing
		must.OK(t, f.EndSession(t.Context(), s.ID, at, entry(audit.Logout, "session")))
		at = at.Add(time.Minute)
	}
	must.OK(t, f.EndSession(t.Context(), 99999, at, entry(audit.Logout, "session")))
	got := f.session(t, s.ID)
	equal(t, "active", got.Active, false)
	equal(t, "agent key", got.AgentPublicKey+got.AgentKeyFingerprint+got.AgentKeyMAC, "")
	equal(t, "family", f.state(t, s.token).Family.RevokedAt, ptr(Now.Add(time.Minute)))
	equal(t, "entries", f.logged(t), []string{"auth.logout session " + audit.ID(s.ID)})
	equal(t, "another session", f.session(t, other.ID).Active, true)
	equal(t, "its family", f.state(t, other.token).Family.RevokedAt, nil)
}

func sessionAgent(t *testing.T, f *fixture) {
	s, other := f.signIn(t, f.alex), f.signIn(t, f.alex)
	f.seen = f.newest(t)
	for _, key := range []string{"PEM 1", "PEM 2"} { // the agent restarted
		must.OK(t, f.registerAgent(t, s.ID, key, Now.Add(time.Minute), entry(audit.SessionAgentRegistered, "session")))
		got := f.session(t, s.ID)
		equal(t, "key", []string{got.AgentPublicKey, got.AgentKeyFingerprint, got.AgentKeyMAC, got.Hostname},
			[]string{key, key + " fingerprint", key + " MAC", "host"})
	}
	equal(t, "another session", f.session(t, other.ID).AgentPublicKey, "")
	equal(t, "entries", len(f.logged(t)), 2)
	refused(t, "expired", f.registerAgent(t, s.ID, "x", s.ExpiresAt, entry("x.y", "")), fault.NotFound)
	must.OK(t, f.registerAgent(t, s.ID, "x", s.ExpiresAt.Add(-time.Microsecond)))
	must.OK(t, f.EndSession(t.Context(), s.ID, Now))
	refused(t, "ended", f.registerAgent(t, s.ID, "x", Now, entry("x.y", "")), fault.NotFound)
	refused(t, "absent", f.registerAgent(t, 99999, "x", Now, entry("x.y", "")), fault.NotFound)
	equal(t, "entries of refusals", len(f.logged(t)), 2)
}

func sessionCleanup(t *testing.T, f *fixture) {
	ancient := f.signInAt(t, f.alex, Now.Add(-10*24*time.Hour)) // the family is over too
	renewable := f.signInAt(t, f.alex, Now.Add(-2*time.Hour))   // expired, but its family goes on: it can still be ended
	ended, live := f.signIn(t, f.alex), f.signIn(t, f.alex)
	must.OK(t, f.EndSession(t.Context(), ended.ID, Now.Add(time.Minute)))
	n := must.Get(f.DeleteExpiredSessions(t.Context(), Now.Add(time.Minute), 100))(t)
	equal(t, "gone", n, 1)
	n = must.Get(f.DeleteExpiredSessions(t.Context(), Now.Add(time.Minute+time.Microsecond), 100))(t)
	equal(t, "gone after the end", n, 1)
	for name, s := range map[string]signedIn{"ancient": ancient, "ended": ended} {
		refused(t, name, errOf(f.Session(t.Context(), access.All(), s.ID)), fault.NotFound)
	}
	equal(t, "live", f.session(t, live.ID).Active, true)
	equal(t, "the one that can be renewed", f.session(t, renewable.ID).ID, renewable.ID)
	must.OK(t, f.EndSession(t.Context(), renewable.ID, Now))
	if f.state(t, renewable.token).Family.RevokedAt == nil {
		t.Error("ending the session of a living family does not end the family")
	}
	n = must.Get(f.DeleteExpiredSessions(t.Context(), Now.Add(time.Hour), 100))(t)
	equal(t, "gone after it was ended", n, 1)
	if s := f.state(t, renewable.token); s.Session != nil {
		t.Errorf("a family whose session was cleaned up shows session %d", s.Session.ID)
	}
	_, err := f.Refresh(t.Context(), ancient.token, func(session.RefreshState) session.RefreshDecision {
		return session.RefreshDecision{Refuse: errRefused}
	})
	refused(t, "token of an expired family", err, fault.NotFound)
}

func sessionCleanupLimit(t *testing.T, f *fixture) {
	for i := range 5 {
		s := f.signInAt(t, f.alex, Now.Add(-time.Duration(i+2)*time.Hour))
		must.OK(t, f.EndSession(t.Context(), s.ID, Now.Add(-time.Hour)))
	}
	for i, want := range []int64{2, 2, 1, 0} {
		equal(t, fmt.Sprint("round ", i), must.Get(f.DeleteExpiredSessions(t.Context(), Now, 2))(t), want)
	}
}

func sessionNumbers(t *testing.T, f *fixture) {
	s := f.signInAt(t, f.alex, Now.Add(-2*time.Hour))
	must.OK(t, f.EndSession(t.Context(), s.ID, Now.Add(-time.Hour)))
	must.Get(f.DeleteExpiredSessions(t.Context(), Now, 10))(t)
	if next := f.signIn(t, f.bea); next.ID <= s.ID {
		t.Errorf("session %d was removed, and the next one is %d: its access tokens would be somebody else's", s.ID, next.ID)
	}
}

// state reads what a refresh with that token would decide on.
func (f *fixture) state(t *testing.T, hash string) session.RefreshState {
	t.Helper()
	var state session.RefreshState
	_, err := f.Refresh(t.Context(), hash, func(s session.RefreshState) session.RefreshDecision {
		state = s
		return session.RefreshDecision{Refuse: errRefused}
	})
	if !errors.Is(err, errRefused) {
		t.Fatalf("refresh: got error %v, want the decision's own", err)
	}
	return state
}
