package user

import (
	"context"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/secret"
)

// InvitationFor is how long an invitation can be taken up (contract,
// POST /api/auth/invitation).
const InvitationFor = 24 * time.Hour

// Invitation lets whoever holds its token set an account's first password.
type Invitation struct {
	Hash      string // of the token
	ExpiresAt time.Time
}

// Invite makes the invitation of an account that waits for one, and returns
// its token, which stands nowhere else. A former one ends. Conflict for an
// account that has a password, signs in elsewhere or is disabled.
func (s *Service) Invite(ctx context.Context, a access.Actor, scope access.Scope, id int64) (secret.String, time.Time, error) {
	token, err := secret.Random()
	if err != nil {
		return secret.String{}, time.Time{}, err
	}
	now := s.Now()
	in := Invitation{Hash: token.Hash(), ExpiresAt: now.Add(InvitationFor)}
	_, _, err = s.Store.ChangeUser(ctx, scope, id, nil, func(state State) (Change, error) {
		u := state.User
		if err := invitable(scope, u); err != nil {
			return Change{}, err
		}
		entry := audit.By(a, audit.UserInvited, "user", audit.ID(id), "").In(u.OrganizationID)
		return Change{User: u, At: now, Invite: &in, Entries: []audit.Entry{entry}}, nil
	})
	if err != nil {
		return secret.String{}, time.Time{}, err
	}
	return token, in.ExpiresAt, nil
}

func invitable(scope access.Scope, u User) error {
	if err := within(scope, u); err != nil {
		return err
	}
	switch {
	case u.AuthSource != Local:
		return fault.New(fault.Conflict, "no_invitation",
			"This account signs in at the identity provider and needs no invitation. Send its owner there.")
	case !u.Waiting:
		return fault.New(fault.Conflict, "has_password", "This account has a password already. Reset it instead.")
	case !u.IsActive:
		return fault.New(fault.Conflict, "invite_disabled", "This account is disabled. Enable it first.")
	}
	return nil
}
