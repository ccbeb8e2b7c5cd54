package session

import (
	"context"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/user"
)

// refuseExpired is PasswordExpired when a good password must be changed
// before it opens anything: it was given by somebody else, or it is older
// than the policy allows. The refusal is audited. An account of another
// identity provider has no password that could expire.
func (s *Service) refuseExpired(ctx context.Context, c Client, u user.User) error {
	policy, err := s.Policies.PasswordPolicy(ctx)
	if err != nil {
		return err
	}
	entry := failed(c, audit.Login, u)
	switch {
	case u.AuthSource != user.Local:
		return nil
	case u.MustChangePassword:
		entry.Details = "the password must be changed first"
	case policy.Expired(u.PasswordChangedAt, s.Now()):
		entry.Details = "the password has expired"
	default:
		return nil
	}
	if err := s.Audit.AppendAudit(ctx, entry); err != nil {
		return err
	}
	return fault.New(fault.PasswordExpired, "Choose a new password first (POST /api/auth/password), then sign in with it.")
}
