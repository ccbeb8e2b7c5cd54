package session

import (
	"context"
	"time"

	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/secret"
)

// Invited returns whose account an invitation is for, and when it expires. Errors as of TakeInvitation.
func (s *Service) Invited(ctx context.Context, token secret.String) (account.User, time.Time, error) {
	u, ends, err := s.Users.Invited(ctx, token.Hash())
	switch {
	case fault.Is(err, fault.NotFound):
		return account.User{}, time.Time{}, noInvitation()
	case err != nil:
		return account.User{}, time.Time{}, err
	case !s.Now().Before(ends):
		return account.User{}, time.Time{}, fault.New(fault.TokenExpired, "invitation_expired",
			"This invitation has expired. Ask your administrator for another.")
	}
	return u, ends, u.MaySignIn()
}

// TakeInvitation sets the first password of the invited account, once per
// token. TokenInvalid, TokenExpired; AccountDisabled; PasswordPolicy, after
// which the token can be used for another try.
func (s *Service) TakeInvitation(ctx context.Context, c Client, token, next secret.String) error {
	u, _, err := s.Invited(ctx, token)
	if err != nil {
		return err
	}
	policy, err := s.Policies.PasswordPolicy(ctx)
	if err != nil {
		return err
	}
	if err := policy.Check("password", next, u.Username, u.Email); err != nil {
		return err
	}
	set, err := s.Hasher.Hash(ctx, next)
	if err != nil {
		return err
	}
	entry := audit.By(actorOf(u, c), audit.PasswordChanged, "user", audit.ID(u.ID), "the first, by an invitation")
	err = s.Users.TakeInvitation(ctx, token.Hash(), set, s.Now(), entry)
	if fault.Is(err, fault.NotFound) {
		return noInvitation()
	}
	return err
}

func noInvitation() error {
	return fault.New(fault.TokenInvalid, "invitation",
		"This invitation is not valid, or was used already. Sign in, or ask your administrator for another.")
}
