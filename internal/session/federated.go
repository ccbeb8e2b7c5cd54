package session

import (
	"context"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
)

// proof is how a person proved who they are.
type proof struct {
	method            Method
	at                time.Time // zero: unknown
	passwordChangedAt time.Time // of the password that was checked
	code              string    // hash of the one-time code that was presented
}

func byPassword(u account.User, at time.Time) proof {
	return proof{method: Password, at: at, passwordChangedAt: u.PasswordChangedAt}
}

// Federated is a sign-in that an identity provider vouches for.
type Federated struct {
	UserID          int64
	AuthenticatedAt time.Time // when the person authenticated to the provider; zero: not reported
	Code            string    // hash of the one-time code that stands for it
}

// BeginFederated begins a session and consumes the one-time code, both or
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

// localLogin refuses a correct password of an account that must use single
// sign-on. It runs after the password check, so that the refusal reveals no
// account.
func (s *Service) localLogin(ctx context.Context, c Client, u account.User) error {
	if u.AuthSource != account.Local { // it has no password, unless someone set one in the database
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
