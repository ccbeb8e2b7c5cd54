package account

import (
	"context"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/password"
	"github.com/keyward/keyward/internal/secret"
)

// ResetPassword gives an account a new password, to be changed at the next
// sign-in, ends its sessions and lifts a lockout. If given is empty, the
// password is random. It is returned and stored nowhere else. Conflict for
// one's own account and for one that signs in elsewhere.
func (s *Users) ResetPassword(
	ctx context.Context, a access.Actor, scope access.Scope, id int64, given secret.String,
) (User, secret.String, error) {
	u, err := s.Store.User(ctx, scope, id)
	if err == nil {
		err = resettable(a, scope, u)
	}
	if err != nil {
		return User{}, secret.String{}, err
	}
	made := given
	if given.Empty() {
		made, err = password.Random()
	} else {
		err = s.checkGiven(ctx, u, given)
	}
	if err != nil {
		return User{}, secret.String{}, err
	}
	hash, err := s.Hasher.Hash(ctx, made)
	if err != nil {
		return User{}, secret.String{}, err
	}
	now := s.Now()
	u, _, err = s.Store.ChangeUser(ctx, scope, id, nil, func(state UserState) (UserChange, error) {
		next := state.User
		if err := resettable(a, scope, next); err != nil {
			return UserChange{}, err
		}
		next.PasswordHash, next.PasswordChangedAt, next.MustChangePassword = hash, now, true
		ended := audit.By(a, audit.SessionEnded, "session", "", "the password was reset").In(next.OrganizationID)
		entry := audit.By(a, audit.UserPasswordReset, "user", audit.ID(id), "sessions ended").In(next.OrganizationID).
			Notifying(noticeTo(a, next, notify.PasswordReset, now, notify.Params{})...)
		return UserChange{User: next, At: now, Unlock: true, EndSessions: &ended, Entries: []audit.Entry{entry}}, nil
	})
	return u, made, err
}

func (s *Users) checkGiven(ctx context.Context, u User, given secret.String) error {
	policy, err := s.Policies.PasswordPolicy(ctx)
	if err != nil {
		return err
	}
	return policy.Check("password", given, u.Username, u.Email)
}

func resettable(a access.Actor, scope access.Scope, u User) error {
	if err := within(scope, u); err != nil {
		return err
	}
	switch {
	case a.UserID != 0 && a.UserID == u.ID:
		return fault.New(fault.Conflict, "own_password",
			"This is your own account. Change its password with the current one (POST /api/auth/password).")
	case u.AuthSource != Local:
		return fault.New(fault.Conflict, "no_password",
			"This account signs in at the identity provider and has no password here. Reset it there.")
	}
	return nil
}

// Unlock clears an account's failed sign-ins and its lockout.
func (s *Users) Unlock(ctx context.Context, a access.Actor, scope access.Scope, id int64) (User, error) {
	now := s.Now()
	u, _, err := s.Store.ChangeUser(ctx, scope, id, nil, func(state UserState) (UserChange, error) {
		u := state.User
		if err := within(scope, u); err != nil {
			return UserChange{}, err
		}
		if a.APIKeyID != 0 && u.Role != access.User {
			return UserChange{}, keyGivesNoPower()
		}
		entry := audit.By(a, audit.UserUnlocked, "user", audit.ID(id), "").In(u.OrganizationID)
		return UserChange{User: u, At: now, Unlock: true, Entries: []audit.Entry{entry}}, nil
	})
	return u, err
}
