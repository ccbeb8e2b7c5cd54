package account

import (
	"context"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/password"
	"github.com/keyward/keyward/internal/secret"
)

// Rescue is for when nobody can sign in: it works for anyone with access to the
// data directory, and needs no account. The audit log names the system as
// actor, and Via in the details.
type Rescue struct {
	Accounts *Users
	Hostname string // of the machine
	Via      string // what was called, by whom
}

// errElsewhere is the Conflict for an account without a password here.
var errElsewhere = fault.New(fault.Conflict, "no_password_console",
	"This account signs in at the identity provider and has no password here. Reset it there, or create a local "+
		"administrator: keyward admin create-admin.")

func (r *Rescue) entry(action audit.Action, targetType, id, details string) audit.Entry {
	if details != "" {
		details += "; "
	}
	return audit.By(access.Actor{Hostname: r.Hostname}, action, targetType, id, details+r.Via)
}

// CreateAdmin creates a global admin who must change the password at the first
// sign-in, and returns the password, a random one if given is empty. Invalid;
// PasswordPolicy for a given password; Conflict when a name is taken.
func (r *Rescue) CreateAdmin(ctx context.Context, username, email string, given secret.String) (User, secret.String, error) {
	s, now := r.Accounts, r.Accounts.Now()
	u := User{
		Username: norm.NFC.String(strings.TrimSpace(username)), Email: norm.NFC.String(strings.TrimSpace(email)),
		Role: access.GlobalAdmin, IsActive: true, MustChangePassword: true, AuthSource: Local,
		CreatedAt: now, UpdatedAt: now, PasswordChangedAt: now,
	}
	if bad := checkNames(NewUser{Username: u.Username, Email: u.Email}); len(bad) > 0 {
		return User{}, secret.String{}, fault.Invalid(bad...)
	}
	made, hash, err := r.password(ctx, u, given)
	if err != nil {
		return User{}, secret.String{}, err
	}
	u.PasswordHash = hash
	u, err = s.Store.InsertUser(ctx, u, r.entry(audit.UserCreated, "user", "", "username "+u.Username+", role "+string(u.Role)))
	if err != nil {
		return User{}, secret.String{}, err
	}
	return u, made, nil
}

// ResetPassword gives an account, found by username or email, a password that
// must be changed at the next sign-in, ends its sessions, lifts a lockout, and
// returns the password, a random one if given is empty. A disabled account
// stays disabled without activate. NotFound; Conflict for an account of an
// identity provider; PasswordPolicy for a given password.
func (r *Rescue) ResetPassword(ctx context.Context, login string, given secret.String, activate bool) (User, secret.String, error) {
	u, err := r.Accounts.Store.UserByLogin(ctx, login)
	if err == nil && u.AuthSource != Local {
		err = errElsewhere
	}
	if err != nil {
		return User{}, secret.String{}, err
	}
	made, hash, err := r.password(ctx, u, given)
	if err != nil {
		return User{}, secret.String{}, err
	}
	now := r.Accounts.Now()
	u, _, err = r.Accounts.Store.ChangeUser(ctx, access.All(), u.ID, nil, func(state UserState) (UserChange, error) {
		next := state.User
		if next.AuthSource != Local {
			return UserChange{}, errElsewhere
		}
		id := audit.ID(next.ID)
		next.PasswordHash, next.PasswordChangedAt, next.MustChangePassword = hash, now, true
		entries := []audit.Entry{r.entry(audit.UserPasswordReset, "user", id, "sessions ended").In(next.OrganizationID).
			Notifying(noticeTo(access.Actor{}, next, notify.PasswordReset, now, notify.Params{})...)}
		if activate && !next.IsActive {
			next.IsActive = true
			entries = append(entries, r.entry(audit.UserEnabled, "user", id, "").In(next.OrganizationID))
		}
		ended := r.entry(audit.SessionEnded, "session", "", "the password was reset").In(next.OrganizationID)
		return UserChange{User: next, At: now, Unlock: true, EndSessions: &ended, Entries: entries}, nil
	})
	if err != nil {
		return User{}, secret.String{}, err
	}
	return u, made, nil
}

// Unlock clears the failed sign-ins and the lockout of an account, found by
// username or email. NotFound.
func (r *Rescue) Unlock(ctx context.Context, login string) (User, error) {
	u, err := r.Accounts.Store.UserByLogin(ctx, login)
	if err != nil {
		return User{}, err
	}
	entry := r.entry(audit.UserUnlocked, "user", audit.ID(u.ID), "").In(u.OrganizationID)
	return u, r.Accounts.Store.Unlock(ctx, u.ID, r.Accounts.Now(), entry)
}

// password returns the given or a random password, and its hash.
func (r *Rescue) password(ctx context.Context, u User, given secret.String) (made secret.String, hash string, err error) {
	if given.Empty() {
		made, err = password.Random()
	} else {
		made, err = given, r.Accounts.checkGiven(ctx, u, given)
	}
	if err == nil {
		hash, err = r.Accounts.Hasher.Hash(ctx, made)
	}
	return made, hash, err
}
