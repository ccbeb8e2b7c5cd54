package storetest

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/session"
	"github.com/keyward/keyward/test/must"
)

var lockoutCases = map[string]func(*testing.T, *fixture){
	"five failures lock, once":                lockoutLocks,
	"a good password forgets the failures":    lockoutClears,
	"a guess not looked at is taken back":     lockoutReleases,
	"never more guesses at once than allowed": lockoutExact,
	"a guess that was never settled locks":    lockoutKilled,
	"names that are nobody's lock, too":       lockoutNobody,
	"unlocking":                               lockoutUnlock,
	"stale failures go":                       lockoutStale,
	"proving again who one is":                authenticated,
}

// attempt is a guess at alex's password.
func (f *fixture) attempt(at time.Time) session.Attempt {
	return session.Attempt{Key: "user:" + audit.ID(f.alex.ID), UserID: f.alex.ID, At: at,
		Lockout: session.Lockout{Attempts: 5, Duration: 15 * time.Minute}, Hold: 30 * time.Second}
}

func (f *fixture) alarm(a session.Attempt) session.Alarm {
	return session.Alarm{Entry: entry(audit.Lockout, "user"), Notice: notify.Message{
		To: notify.Audience{UserID: a.UserID}, Kind: notify.AccountLocked, Message: "locked", At: a.At}}
}

// reserve reserves a guess at alex's password.
func (f *fixture) reserve(t *testing.T, at time.Time) error {
	t.Helper()
	return f.ReserveAttempt(t.Context(), f.attempt(at), f.alarm(f.attempt(at)))
}

func (f *fixture) fail(t *testing.T, a session.Attempt) {
	t.Helper()
	must.OK(t, f.ReserveAttempt(t.Context(), a, f.alarm(a)))
	must.OK(t, f.FailAttempt(t.Context(), a, f.alarm(a), entry(audit.Login, "user")))
}

func (f *fixture) lockedUntil(t *testing.T) *time.Time {
	t.Helper()
	u := must.Get(f.User(t.Context(), access.All(), f.alex.ID))(t)
	return u.LockedUntil
}

func lockoutLocks(t *testing.T, f *fixture) {
	for range 5 {
		f.fail(t, f.attempt(Now))
	}
	until := Now.Add(15 * time.Minute)
	equal(t, "locked until", f.lockedUntil(t), &until)
	equal(t, "entries", f.logged(t), []string{"auth.login user ", "auth.login user ", "auth.login user ",
		"auth.login user ", "auth.login user ", "auth.lockout user "})
	err := f.reserve(t, until.Add(-time.Second))
	refused(t, "within the lock", err, fault.AccountLocked)
	if fe, _ := fault.As(err); fe.RetryAfter != time.Second {
		t.Errorf("wait %v, want the rest of the lock", fe.RetryAfter)
	}
	equal(t, "notices", len(must.Get(f.ListNotices(t.Context(), f.alex.ID, notify.Filter{}, page.Request{Limit: 9}))(t).Items), 1)
	for range 4 { // after the lock the count starts anew
		f.fail(t, f.attempt(until))
	}
	must.OK(t, f.reserve(t, until))
}

func lockoutClears(t *testing.T, f *fixture) {
	for range 3 {
		for range 4 {
			f.fail(t, f.attempt(Now))
		}
		must.OK(t, f.reserve(t, Now))
		must.OK(t, f.ClearAttempts(t.Context(), f.attempt(Now)))
	}
	equal(t, "locked until", f.lockedUntil(t), nil)
}

func lockoutReleases(t *testing.T, f *fixture) {
	for range 20 {
		must.OK(t, f.reserve(t, Now))
		must.OK(t, f.ReleaseAttempt(t.Context(), f.attempt(Now)))
	}
	must.OK(t, f.ReleaseAttempt(t.Context(), f.attempt(Now))) // one too many has no effect
	for range 5 {
		f.fail(t, f.attempt(Now))
	}
	refused(t, "the sixth", f.reserve(t, Now), fault.AccountLocked)
}

// lockoutExact sends twenty guesses at once, three times.
func lockoutExact(t *testing.T, f *fixture) {
	for round := range 3 {
		at := Now.Add(time.Duration(round) * time.Hour)
		var evaluated atomic.Int64
		var wg sync.WaitGroup
		start := make(chan struct{})
		for range 20 {
			wg.Go(func() {
				<-start
				err := f.reserve(t, at)
				switch {
				case err == nil:
					evaluated.Add(1)
					err = f.FailAttempt(t.Context(), f.attempt(at), f.alarm(f.attempt(at)))
				case fault.Is(err, fault.RateLimited), fault.Is(err, fault.AccountLocked):
					err = nil
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
		close(start)
		wg.Wait()
		equal(t, "guesses evaluated", evaluated.Load(), 5)
	}
	equal(t, "lockouts", len(f.logged(t)), 3)
}

func lockoutKilled(t *testing.T, f *fixture) {
	for range 5 {
		must.OK(t, f.reserve(t, Now))
	}
	refused(t, "while the fifth is looked at", f.reserve(t, Now.Add(29*time.Second)), fault.RateLimited)
	refused(t, "when it never came back", f.reserve(t, Now.Add(30*time.Second)), fault.AccountLocked)
	equal(t, "entries", f.logged(t), []string{"auth.lockout user "})
	until := Now.Add(30*time.Second + 15*time.Minute)
	equal(t, "locked until", f.lockedUntil(t), &until)
	must.OK(t, f.reserve(t, until))
}

func lockoutNobody(t *testing.T, f *fixture) {
	a := session.Attempt{Key: "name:x", At: Now, Lockout: session.Lockout{Attempts: 2, Duration: time.Minute}, Hold: time.Second}
	f.fail(t, a)
	f.fail(t, a)
	refused(t, "the third", f.ReserveAttempt(t.Context(), a, f.alarm(a)), fault.AccountLocked)
	a.Key = "name:y"
	must.OK(t, f.ReserveAttempt(t.Context(), a, f.alarm(a)))
	equal(t, "entries", f.logged(t), []string{"auth.login user ", "auth.login user ", "auth.lockout user "})
}

func lockoutUnlock(t *testing.T, f *fixture) {
	for range 5 {
		f.fail(t, f.attempt(Now))
	}
	f.seen = f.newest(t)
	must.OK(t, f.Unlock(t.Context(), f.alex.ID, Now, entry("user.unlocked", "user")))
	equal(t, "locked until", f.lockedUntil(t), nil)
	equal(t, "entries", f.logged(t), []string{"user.unlocked user "})
	for range 5 {
		f.fail(t, f.attempt(Now))
	}
	refused(t, "absent", f.Unlock(t.Context(), 99999, Now, entry("user.unlocked", "user")), fault.NotFound)
}

func lockoutStale(t *testing.T, f *fixture) {
	f.fail(t, f.attempt(Now))
	locked := session.Attempt{Key: "name:x", At: Now, Lockout: session.Lockout{Attempts: 1, Duration: 48 * time.Hour}}
	f.fail(t, locked)
	for _, want := range []int64{1, 0} { // what still locks stays
		equal(t, "gone", must.Get(f.DeleteStaleAttempts(t.Context(), Now.Add(24*time.Hour), 10))(t), want)
	}
	locked.At = Now.Add(24 * time.Hour)
	refused(t, "the lock", f.ReserveAttempt(t.Context(), locked, f.alarm(locked)), fault.AccountLocked)
}

func authenticated(t *testing.T, f *fixture) {
	s := f.signIn(t, f.alex)
	at := Now.Add(20 * time.Minute)
	must.OK(t, f.SetAuthenticated(t.Context(), s.ID, at, entry(audit.Reauthenticate, "session")))
	equal(t, "authenticated at", f.session(t, s.ID).AuthenticatedAt, at)
	must.OK(t, f.SetAuthenticated(t.Context(), s.ID, at.Add(-time.Minute), entry(audit.Reauthenticate, "session")))
	live, _ := must.Both(f.Authenticate(t.Context(), s.ID))(t)
	equal(t, "as every request sees it, the latest", live.AuthenticatedAt, at)
	refused(t, "expired", f.SetAuthenticated(t.Context(), s.ID, s.ExpiresAt, entry("x.y", "")), fault.NotFound)
	equal(t, "entries", len(f.logged(t)), 3)
}
