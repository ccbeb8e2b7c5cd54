package session

import (
	"context"

	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
)

// refuseExpired returns PasswordExpired when a correct password must be changed
// before it is of use: someone else set it, or it is older than the policy
// allows. The refusal is audited. Accounts of an identity provider have no
// password to expire.
func (s *Service) refuseExpired(ctx context.Context, c Client, u account.User) error {
	policy, err := s.Policies.PasswordPolicy(ctx)
	if err != nil {
		return err
	}
	why := ""
	switch {
	case u.AuthSource != account.Local:
		return nil
	case u.MustChangePassword:
		why = "the password must be changed first"
	case policy.Expired(u.PasswordChangedAt, s.Now()):
		why = "the password has expired"
	default:
		return nil
	}
	return s.refuse(ctx, c, audit.Login, u, why,
		fault.New(fault.PasswordExpired, "", "Choose a new password first (POST /api/auth/password), then sign in with it."))
}
