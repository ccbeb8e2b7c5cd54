package session_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/password"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/session"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/must"
)

// desk is the service on real engines; the test controls the clock and the policy.
type desk struct {
	*session.Service
	t      *testing.T
	db     *store.DB
	now    atomic.Pointer[time.Time]
	policy password.Policy
}

var (
	small  = password.Parameters{MemoryKiB: 64, Passes: 1, Threads: 4}
	other  = password.Parameters{MemoryKiB: 96, Passes: 2, Threads: 1}
	client = session.Client{IPAddress: "192.0.2.1", UserAgent: "test"}
)

const good = "good passphrase"

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{t: t, policy: password.DefaultPolicy()}
	d.at(time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC))
	now := func() time.Time { return *d.now.Load() }
	dir, log := t.TempDir(), slog.New(slog.NewTextHandler(io.Discard, nil))
	db, kv := engine.Store(t, dir, store.Options{Now: now}), engine.Vault(t, dir, nil)
	d.db = db
	d.Service = &session.Service{
		Store: db, Users: db, Audit: db, Hasher: password.NewHasherWith(2, small), Policies: d,
		Signer:    &session.Signer{Vault: kv, Now: now},
		Lifetimes: session.Lifetimes{Access: 30 * time.Minute, Session: time.Hour, Refresh: 168 * time.Hour},
		Binding:   session.BindingLog, Log: log, Now: now,
	}
	return d
}

func (d *desk) PasswordPolicy(context.Context) (password.Policy, error) { return d.policy, nil }

func (d *desk) at(now time.Time)         { d.now.Store(&now) }
func (d *desk) later(span time.Duration) { d.at(d.Now().Add(span)) }

func (d *desk) account(name, pw string, by *password.Hasher, change func(*account.User)) account.User {
	d.t.Helper()
	hash := must.Get(by.Hash(d.t.Context(), secret.New(pw)))(d.t)
	u := account.User{
		Username: name, Email: name + "@example.org", PasswordHash: hash, Role: access.User, IsActive: true, AuthSource: account.Local,
		CreatedAt: d.Now(), UpdatedAt: d.Now(), PasswordChangedAt: d.Now(),
	}
	if change != nil {
		change(&u)
	}
	return must.Get(d.db.InsertUser(d.t.Context(), u, audit.By(access.Actor{}, audit.UserCreated, "user", "", "")))(d.t)
}

func (d *desk) signIn(name, pw string) error {
	_, err := d.Login(d.t.Context(), client, name, secret.New(pw), "")
	return err
}

func (d *desk) user(id int64) account.User {
	d.t.Helper()
	return must.Get(d.db.User(d.t.Context(), access.All(), id))(d.t)
}

func (d *desk) code(want fault.Code, err error) {
	d.t.Helper()
	if got := fault.CodeOf(err); got != want {
		d.t.Fatalf("%v, want %q", err, want)
	}
}

// TestExpiry walks a password to its last day, past it, and out of it.
func TestExpiry(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	u := d.account("ann", good, d.Hasher, nil)
	sso := d.account("sso", good, d.Hasher, func(u *account.User) { u.AuthSource, u.MustChangePassword = account.OIDC, true })
	grant, err := d.Login(t.Context(), client, "ann", secret.New(good), "")
	d.code("", err)
	d.policy.MaxAgeDays = 30
	d.later(30*24*time.Hour - time.Second)
	d.code("", d.signIn("ann", good))
	d.later(time.Second)
	d.code(fault.PasswordExpired, d.signIn("ann", good))
	d.code(fault.InvalidCredentials, d.signIn("ann", "wrong")) // a wrong password does not reveal it
	d.code(fault.InvalidCredentials, d.signIn("sso", good))    // no matter who stored a password
	if u := d.user(sso.ID); u.LastLoginAt != nil {
		t.Error("who signs in elsewhere came in by a password")
	}
	_, err = d.Refresh(t.Context(), client, grant.RefreshToken) // the family's seven days are over anyway
	d.code(fault.TokenExpired, err)
	d.code(fault.PasswordPolicy, d.ChangePassword(t.Context(), client, "ann", secret.New(good), secret.New(good)))
	d.code("", d.ChangePassword(t.Context(), client, "ann", secret.New(good), secret.New("another passphrase")))
	d.code("", d.signIn("ann", "another passphrase"))
	d.policy.MaxAgeDays = 0
	d.later(3650 * 24 * time.Hour)
	d.code("", d.signIn("ann", "another passphrase"))
	if got := d.user(u.ID).MustChangePassword; got {
		t.Error("it must change again")
	}
}

func TestMustChange(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.account("ann", good, d.Hasher, func(u *account.User) { u.MustChangePassword = true })
	d.code(fault.PasswordExpired, d.signIn("ann", good))
	d.code("", d.ChangePassword(t.Context(), client, "ann", secret.New(good), secret.New("another passphrase")))
	d.code("", d.signIn("ann", "another passphrase"))
}

// TestRehash: a correct password renews a hash of other parameters, and nothing
// else of the account.
func TestRehash(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	former := password.NewHasherWith(1, other)
	u := d.account("ann", good, former, nil)
	off := d.account("off", good, former, func(u *account.User) { u.IsActive = false })
	d.later(time.Hour)
	d.code(fault.InvalidCredentials, d.signIn("ann", "wrong"))
	d.code(fault.AccountDisabled, d.signIn("off", good))
	for _, id := range []int64{u.ID, off.ID} {
		if !strings.Contains(d.user(id).PasswordHash, "$m=96,t=2,p=1$") {
			t.Fatal("it is renewed without need")
		}
	}
	d.code("", d.signIn("ann", good))
	got := d.user(u.ID)
	if !strings.Contains(got.PasswordHash, "$m=64,t=1,p=4$") {
		t.Fatalf("the hash has its old parameters")
	}
	if !got.PasswordChangedAt.Equal(u.PasswordChangedAt) || !got.UpdatedAt.Equal(u.UpdatedAt) {
		t.Error("the password counts as changed")
	}
	d.code("", d.signIn("ann", good))
	if d.user(u.ID).PasswordHash != got.PasswordHash {
		t.Error("it is renewed again")
	}
}

// failing is a store that cannot renew a hash.
type failing struct {
	account.UserStore
	err error
}

func (f failing) ReplaceHash(context.Context, int64, string, string, ...audit.Entry) error {
	return f.err
}

func TestRehashNeverFailsASignIn(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	former := password.NewHasherWith(1, other)
	d.account("ann", good, former, nil)
	for _, err := range []error{errors.New("disk full"), fault.New(fault.Conflict, "", "changed"),
		fault.New(fault.DatabaseUnavailable, "", "gone")} {
		d.Users = failing{d.db, err}
		d.code("", d.signIn("ann", good))
	}
}

// TestKeyboards: the same password from a keyboard that composes and from one
// that does not, whichever of them chose it.
func TestKeyboards(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	const composed, decomposed = "Bj\u00f6rn's caf\u00e9", "Bjo\u0308rn's cafe\u0301"
	d.account("mac", decomposed, d.Hasher, nil)
	d.account("win", composed, d.Hasher, nil)
	for _, name := range []string{"mac", "win"} {
		for _, pw := range []string{composed, decomposed, "Bj\u00f6rn's\u00a0caf\u00e9"} {
			d.code("", d.signIn(name, pw))
		}
		d.code(fault.InvalidCredentials, d.signIn(name, "Bjorn's cafe"))
	}
}

// TestProved: never later than now, never earlier than before.
func TestProved(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	u := d.account("jdoe", good, d.Hasher, nil)
	g := must.Get(d.Login(t.Context(), client, "jdoe", secret.New(good), ""))(t)
	began := d.Now()
	d.later(10 * time.Minute)
	for _, c := range []struct{ at, want time.Time }{
		{began.Add(-time.Hour), began}, {time.Time{}, began}, {began.Add(time.Minute), began.Add(time.Minute)}, {d.Now().Add(time.Hour), d.Now()},
	} {
		must.OK(t, d.Proved(t.Context(), access.Actor{UserID: u.ID, SessionID: g.Session.ID}, c.at))
		if s, _, err := d.db.Authenticate(t.Context(), g.Session.ID); err != nil || !s.AuthenticatedAt.Equal(c.want) {
			t.Errorf("proved at %v: %v %v, want %v", c.at, s.AuthenticatedAt, err, c.want)
		}
	}
}
