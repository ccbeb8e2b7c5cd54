package session

import (
	"context"
	"time"

	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/secret"
)

// grace is how long a used refresh token is accepted again while its successor
// is unused: the response was lost, or two tabs refreshed at once.
const grace = 30 * time.Second

// Refresh exchanges a refresh token for new tokens. Presenting a used one
// revokes the whole family and ends the session, except in the grace period.
func (s *Service) Refresh(ctx context.Context, c Client, token secret.String) (Grant, error) {
	now := s.Now()
	text, next, err := newRefresh(now)
	if err != nil {
		return Grant{}, err
	}
	if _, err := s.Signer.key(ctx); err != nil {
		return Grant{}, err
	}
	var u account.User
	var ends time.Time
	var made error
	sess, err := s.Store.Refresh(ctx, token.Hash(), func(state RefreshState) RefreshDecision {
		u, ends, made = state.User, state.Family.ExpiresAt, nil
		fresh, err := s.newSession(c, state.User, machineOf(state), now)
		if err != nil {
			made = err
			return RefreshDecision{Refuse: err}
		}
		d := decide(state, next, fresh, c, now)
		if d.Refuse == nil && s.strangeAgent(state.Family, fresh.UserAgent, c.RequestID) {
			return otherBrowser(state, c)
		}
		return d
	})
	switch {
	case made != nil:
		return Grant{}, made
	case fault.Is(err, fault.NotFound):
		return Grant{}, signInAgain()
	case err != nil:
		return Grant{}, err
	}
	return s.grant(ctx, u, sess, text, ends)
}

func machineOf(state RefreshState) string {
	if state.Session == nil {
		return ""
	}
	return state.Session.MachineID
}

func signInAgain() error {
	return fault.New(fault.TokenInvalid, "refresh_token", "The refresh token is no longer valid. Sign in again.")
}

// decide is the state machine of refresh tokens (see the package comment).
func decide(state RefreshState, next RefreshToken, fresh Session, c Client, now time.Time) RefreshDecision {
	a := actorOf(state.User, c)
	if state.Session != nil {
		a.SessionID = state.Session.ID
	}
	target := audit.ID(state.Family.SessionID)
	switch {
	case state.Family.RevokedAt != nil:
		return RefreshDecision{Refuse: signInAgain()}
	case !now.Before(state.Family.ExpiresAt):
		return RefreshDecision{Refuse: fault.New(fault.TokenExpired, "sign_in_expired", "The sign-in has expired. Sign in again.")}
	case state.Token.Dead, state.Token.UsedAt != nil && !inGrace(state, now):
		return RefreshDecision{Refuse: signInAgain(), RevokeAll: true, Entries: []audit.Entry{
			audit.By(a, audit.RefreshReuse, "session", target,
				"a used refresh token came again: the session and its tokens are revoked").As(audit.Failure),
			audit.By(a, audit.SessionEnded, "session", target, "refresh token reuse"),
		}}
	case state.User.MaySignIn() != nil:
		return RefreshDecision{
			Refuse: state.User.MaySignIn(), RevokeAll: true,
			Entries: []audit.Entry{audit.By(a, audit.Refresh, "session", target, "account or organization disabled").As(audit.Failure)},
		}
	case state.Session != nil && !state.Session.Active:
		return RefreshDecision{Refuse: signInAgain()}
	}
	d := RefreshDecision{NewToken: &next, Replace: state.Token.UsedAt != nil}
	d.Entries = []audit.Entry{audit.By(a, audit.Refresh, "session", target, "")}
	if state.Session == nil || !state.Session.Live(now) {
		fresh.AuthMethod, fresh.AuthenticatedAt = provenBy(state)
		d.NewSession = &fresh
		d.Entries = append(d.Entries, audit.By(a, audit.SessionCreated, "session", "", "by refresh"))
	}
	return d
}

// provenBy returns how and when the person behind a family proved their
// identity; a refresh itself proves nothing.
func provenBy(state RefreshState) (Method, time.Time) {
	switch {
	case state.Session != nil:
		return state.Session.AuthMethod, state.Session.AuthenticatedAt
	case state.User.AuthSource == account.OIDC:
		return OIDC, time.Time{}
	default:
		return Password, time.Time{}
	}
}

func inGrace(state RefreshState, now time.Time) bool {
	next := state.Successor
	return next != nil && next.UsedAt == nil && !next.Dead && now.Sub(*state.Token.UsedAt) <= grace
}

// otherBrowser refuses a valid refresh token and leaves it unchanged: its owner still holds it.
func otherBrowser(state RefreshState, c Client) RefreshDecision {
	entry := audit.By(actorOf(state.User, c), audit.Refresh, "session", audit.ID(state.Family.SessionID), "from another user agent")
	return RefreshDecision{Refuse: errOtherBrowser, Entries: []audit.Entry{entry.As(audit.Failure)}}
}
