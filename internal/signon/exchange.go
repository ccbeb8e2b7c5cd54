package signon

import (
	"context"
	"crypto/subtle"
	"time"

	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/session"
)

// Exchange turns the one-time code of a round into a session. TokenMissing
// without the browser's secret; TokenInvalid for a code that is unknown, used,
// or another browser's; TokenExpired after its 60 seconds; AccountDisabled.
// Presenting a code twice ends the session that it began.
func (s *Service) Exchange(ctx context.Context, c session.Client, code, browser secret.String, machineID string) (session.Grant, error) {
	k, err := s.code(ctx, c, audit.Login, code, browser)
	if err != nil {
		return session.Grant{}, err
	}
	if set, err := s.Load(ctx); err != nil || !set.Enabled {
		if err == nil {
			err = fault.New(fault.TokenInvalid, "sign_on_off", "Single sign-on was turned off. Sign in with a password.")
		}
		return session.Grant{}, err
	}
	g, err := s.Sessions.BeginFederated(ctx, c, session.Federated{UserID: k.UserID, AuthenticatedAt: k.AuthTime, Code: k.Hash}, machineID)
	switch {
	case fault.Is(err, fault.Conflict): // another request was faster
		return session.Grant{}, s.replayed(ctx, c, audit.Login, k)
	case fault.Is(err, fault.AccountDisabled):
		entry := by(c, account.User{ID: k.UserID, Username: "unknown"}, audit.Login, explanations[AccountDisabled]).As(audit.Failure)
		if written := s.Audit.AppendAudit(ctx, entry); written != nil {
			return session.Grant{}, written
		}
	}
	return g, err
}

// Redeem consumes the code of a round begun with reauthenticate. It returns
// whose account the person proved to be, and when. Its errors are those of
// Exchange.
func (s *Service) Redeem(ctx context.Context, c session.Client, code, browser secret.String) (userID int64, authTime time.Time, err error) {
	k, err := s.code(ctx, c, audit.Reauthenticate, code, browser)
	if err != nil {
		return 0, time.Time{}, err
	}
	err = s.Store.TakeCode(ctx, k.Hash, s.Now())
	if fault.Is(err, fault.Conflict) {
		return 0, time.Time{}, s.replayed(ctx, c, audit.Reauthenticate, k)
	}
	return k.UserID, k.AuthTime, err
}

// code finds a usable code, for the action that its round was begun for.
func (s *Service) code(ctx context.Context, c session.Client, action audit.Action, text, browser secret.String) (Code, error) {
	if !wellFormed(browser.Reveal()) {
		return Code{}, fault.New(fault.TokenMissing, "sign_on_not_begun",
			"This browser has not started single sign-on. Start at /api/auth/oidc/start.")
	}
	k, err := s.Store.Code(ctx, text.Hash())
	switch {
	case fault.Is(err, fault.NotFound):
		return Code{}, s.refused(ctx, c, action, Code{}, "unknown one-time code", invalidCode())
	case err != nil:
		return Code{}, err
	case k.UsedAt != nil:
		return Code{}, s.replayed(ctx, c, action, k)
	case subtle.ConstantTimeCompare([]byte(k.BrowserHash), []byte(browser.Hash())) != 1:
		return Code{}, s.refused(ctx, c, action, k, "one-time code of another browser", invalidCode())
	case k.Reauthenticate != (action == audit.Reauthenticate):
		return Code{}, s.refused(ctx, c, action, k, "one-time code of another kind of round", invalidCode())
	case !s.Now().Before(k.ExpiresAt):
		return Code{}, s.refused(ctx, c, action, k, "one-time code too late",
			fault.New(fault.TokenExpired, "sign_on_too_slow", "That took too long. Start single sign-on again."))
	}
	return k, nil
}

func invalidCode() error {
	return fault.New(fault.TokenInvalid, "one_time_code", "The one-time code is not valid. Start single sign-on again.")
}

func (s *Service) refused(ctx context.Context, c session.Client, action audit.Action, k Code, why string, err error) error {
	if written := s.Audit.AppendAudit(ctx, about(c, k, action, why)); written != nil {
		return written
	}
	return err
}

// about returns an entry about a refused code. The target is the code's owner;
// the sender is unknown.
func about(c session.Client, k Code, action audit.Action, why string) audit.Entry {
	e := by(c, account.User{}, action, why).As(audit.Failure)
	if k.UserID != 0 {
		e.TargetID = audit.ID(k.UserID)
	}
	return e
}

// replayed refuses a code that was used before. Either this sender or the first
// one stole it, so what its first use began is ended (as RFC 6749, section
// 4.1.2, demands for authorization codes).
func (s *Service) replayed(ctx context.Context, c session.Client, action audit.Action, k Code) error {
	ended := by(c, account.User{}, audit.SessionEnded, "one-time code used again")
	ended.TargetType, ended.Actor = "session", audit.System
	err := s.Store.ReplayedCode(ctx, k.Hash, s.Now(), ended, about(c, k, action, "one-time code used again"))
	if err != nil {
		return err
	}
	return invalidCode()
}
