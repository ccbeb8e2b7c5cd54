package session

import (
	"context"
	"crypto/subtle"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/fault"
)

// Authenticate makes checks 1 to 3 of the five, in order: the token's signature
// and expiry; a live session of the token's user; an active account, which it
// returns without its password hash. Permission and access to the resource
// follow (specification, "Authentication").
func (s *Service) Authenticate(ctx context.Context, bearer string, c Client) (access.Actor, account.User, error) {
	if bearer == "" {
		return access.Actor{}, account.User{}, fault.New(fault.TokenMissing, "no_access_token",
			"Sign in first: this operation needs Authorization: Bearer with an access token.")
	}
	claims, err := s.Signer.Read(ctx, bearer)
	if err != nil {
		return access.Actor{}, account.User{}, err
	}
	sess, u, err := s.Store.Authenticate(ctx, claims.SessionID)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return access.Actor{}, account.User{}, err
	}
	if err != nil || sess.UserID != claims.UserID || !sess.Live(s.Now()) {
		return access.Actor{}, account.User{}, Ended
	}
	if s.strangeDevice(claims, u.ID, sess.MachineID, c) {
		return access.Actor{}, account.User{}, errOtherBrowser
	}
	if err := u.MaySignIn(); err != nil {
		return access.Actor{}, account.User{}, err
	}
	a := actorOf(u, c)
	a.SessionID, a.Hostname, a.AuthenticatedAt = sess.ID, sess.Hostname, sess.AuthenticatedAt
	return a, u, nil
}

// Ended is the error of check 2: the session does not exist or is not live.
var Ended = fault.New(fault.SessionNotFound, "", "The session has ended. Sign in again.")

// MayAct repeats checks 2 and 3 on a session and its account as read now:
// Ended, AccountDisabled.
func MayAct(s Session, u account.User, now time.Time) error {
	if !s.Live(now) {
		return Ended
	}
	return u.MaySignIn()
}

var errOtherBrowser = fault.New(fault.TokenInvalid, "other_browser", "The token belongs to another browser. Sign in again.")

// strangeDevice reports whether to refuse an access token because of the device
// that presents it.
func (s *Service) strangeDevice(claims Claims, userID int64, machineID string, c Client) bool {
	want := DeviceID(userID, machineID, clip(c.UserAgent, 512))
	same := subtle.ConstantTimeCompare([]byte(want), []byte(claims.DeviceID)) == 1
	return s.strange(same, claims.SessionID, c.RequestID)
}

// strangeAgent does the same for a refresh token. The family keeps the
// sign-in's user agent, because its session may have been cleaned up.
func (s *Service) strangeAgent(f Family, userAgent, requestID string) bool {
	return s.strange(userAgent == f.UserAgent, f.SessionID, requestID)
}

func (s *Service) strange(same bool, sessionID int64, requestID string) bool {
	if same || s.Binding == BindingOff {
		return false
	}
	if s.Binding == BindingStrict {
		return true
	}
	s.Log.Info("a session is used by a different user agent than at its start", "session_id", sessionID, "request_id", requestID)
	return false
}
