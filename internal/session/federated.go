package session

import (
	"context"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/user"
)

// proof is how a person proved who they are.
type proof struct {
	method            Method
	at                time.Time // zero: unknown
	passwordChangedAt time.Time // of the password that was checked
	code              string    // hash of the one-time code that was presented
}

func byPassword(u user.User, at time.Time) proof {
	return proof{method: Password, at: at, passwordChangedAt: u.PasswordChangedAt}
}

// Federated is a sign-in that an identity provider vouches for.
type Federated struct {
	UserID          int64
	AuthenticatedAt time.Time // when the person proved to the provider who they are; zero: not told
	Code            string    // hash of the one-time code that stands for it
}

// BeginFederated begins a session and uses the one-time code up, both or
// neither. Conflict when the code was used before; AccountDisabled.
func (s *Service) BeginFederated(ctx context.Context, c Client, f Federated, machineID string) (Grant, error) {
	if err := checkMachine(machineID); err != nil {
		return Grant{}, err
	}
	u, err := s.Users.User(ctx, access.All(), f.UserID)
	if err != nil {
		return Grant{}, err
	}
	return s.begin(ctx, c, u, machineID, proof{method: OIDC, at: f.AuthenticatedAt, code: f.Code})
}

// localLogin refuses a good password of whoever is to come by single sign-on.
// It is asked after the password was checked: nobody learns of an account by
// it.
func (s *Service) localLogin(ctx context.Context, c Client, u user.User) error {
	if u.AuthSource != user.Local { // it has no password, unless one was put there by hand
		return s.refuse(ctx, c, audit.Login, u, "the account signs in by single sign-on", wrongPassword())
	}
	if s.LocalLogin == nil || u.Role == access.GlobalAdmin {
		return nil
	}
	allowed, err := s.LocalLogin(ctx)
	if err != nil || allowed {
		return err
	}
	return s.refuse(ctx, c, audit.Login, u, "signing in with a password is switched off",
		fault.New(fault.PermissionDenied, "password_login_off", "Signing in with a password is turned off. Use single sign-on."))
}
