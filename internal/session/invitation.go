package session

import (
	"context"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/secret"
)

// TakeInvitation sets the first password of the invited account, once per
// token. TokenInvalid, TokenExpired; AccountDisabled; PasswordPolicy, after
// which the token can be used for another try.
func (s *Service) TakeInvitation(ctx context.Context, c Client, token, next secret.String) error {
	hash := token.Hash()
	u, ends, err := s.Users.Invited(ctx, hash)
	switch {
	case fault.Is(err, fault.NotFound):
		return noInvitation()
	case err != nil:
		return err
	case !s.Now().Before(ends):
		return fault.New(fault.TokenExpired, "invitation_expired", "This invitation has expired. Ask your administrator for another.")
	}
	if err := u.MaySignIn(); err != nil {
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
	err = s.Users.TakeInvitation(ctx, hash, set, s.Now(), entry)
	if fault.Is(err, fault.NotFound) {
		return noInvitation()
	}
	return err
}

func noInvitation() error {
	return fault.New(fault.TokenInvalid, "invitation",
		"This invitation is not valid, or was used already. Sign in, or ask your administrator for another.")
}
