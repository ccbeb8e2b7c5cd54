package session

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/password"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/textinput"
)

// Lockout says when failed sign-ins lock an account.
type Lockout struct {
	Attempts int           // failures in a row
	Duration time.Duration // of the lock
}

// holdFor is how long the check of the last allowed guess may take, including
// the wait for a turn to hash. Only a killed process leaves a guess unsettled.
const holdFor = 30 * time.Second

// Attempt is one guess at a password.
type Attempt struct {
	Key     string // that the guess counts under
	UserID  int64  // zero: no account has the name
	At      time.Time
	Lockout Lockout
	Hold    time.Duration
}

// Alarm is what a lockout writes.
type Alarm struct {
	Entry  audit.Entry
	Notice notify.Message // to the account, when there is one
}

// Attempts counts guesses exactly: each is reserved before the password is
// checked and settled afterwards, so that concurrent guesses never exceed the
// limit. The store decides (store/lockout.go), in one transaction for each.
type Attempts interface {
	// ReserveAttempt counts a guess as failed. AccountLocked while the account
	// is locked; RateLimited while the last allowed guess is being checked;
	// neither counts a guess. After a lock ends, the count starts anew. A last
	// guess left unsettled by a killed process counts as failed: then, or when
	// the limit was lowered below the count, this locks the account, with the
	// alarm.
	ReserveAttempt(ctx context.Context, a Attempt, alarm Alarm) error
	// FailAttempt settles a guess as wrong, with the entries. When the limit
	// is reached it locks the account, once, with the alarm.
	FailAttempt(ctx context.Context, a Attempt, alarm Alarm, entries ...audit.Entry) error
	// ReleaseAttempt undoes the count of a guess that was never checked.
	ReleaseAttempt(ctx context.Context, a Attempt) error
	// ClearAttempts forgets all failures: the password was right.
	ClearAttempts(ctx context.Context, a Attempt) error
	// DeleteStaleAttempts removes failures whose last is older than before and
	// that lock nothing; at most limit. It returns how many it removed.
	DeleteStaleAttempts(ctx context.Context, before time.Time, limit int) (int64, error)
}

// guess checks a password within the limit of guesses. A name without an
// account has the same limit and costs the same work. The outcome is written
// even when the client has disconnected, which must not make a guess free. It
// reports whether the hash of a correct password is stale.
func (s *Service) guess(
	ctx context.Context, c Client, action audit.Action, u account.User, login string, pw secret.String,
) (stale bool, err error) {
	policy, err := s.Policies.PasswordPolicy(ctx)
	if err != nil {
		return false, err
	}
	limit := Lockout{Attempts: policy.LockoutAttempts, Duration: policy.LockoutFor()}
	key, err := s.attemptKey(ctx, u, login)
	if err != nil {
		return false, err
	}
	attempt := Attempt{Key: key, UserID: u.ID, At: s.Now(), Lockout: limit, Hold: holdFor}
	alarm := lockoutAlarm(c, u, limit, attempt.At)
	if err := s.Store.ReserveAttempt(ctx, attempt, alarm); err != nil {
		if fault.Is(err, fault.AccountLocked) {
			err = s.refuse(ctx, c, action, u, "account locked", err)
		}
		return false, err
	}
	match, err := s.Hasher.Check(ctx, u.PasswordHash, pw)
	ctx, attempt.At = context.WithoutCancel(ctx), s.Now()
	switch {
	case err != nil:
		if released := s.Store.ReleaseAttempt(ctx, attempt); released != nil {
			s.Log.Warn("a sign-in that was never checked counts as failed", "error", released)
		}
		return false, err
	case match != password.No:
		return match == password.Stale, s.Store.ClearAttempts(ctx, attempt)
	}
	entry := failed(c, action, u)
	entry.Details = "wrong password"
	if u.ID == 0 {
		entry.Details = "unknown user" // the typed name is not kept: it may be a password
	}
	if err := s.Store.FailAttempt(ctx, attempt, alarm, entry); err != nil {
		return false, err
	}
	return false, wrongPassword()
}

func lockoutAlarm(c Client, u account.User, limit Lockout, at time.Time) Alarm {
	entry := failed(c, audit.Lockout, u)
	entry.Details = fmt.Sprintf("%d failures in a row; locked for %s", limit.Attempts, limit.Duration)
	return Alarm{Entry: entry, Notice: notify.Message{
		To: notify.Audience{UserID: u.ID}, Kind: notify.AccountLocked, At: at,
		Params: notify.Params{
			"until": at.Add(limit.Duration).UTC().Format(time.RFC3339), "attempts": strconv.Itoa(limit.Attempts), "ip": c.IPAddress,
		},
	}}
}

// attemptKey returns the account, whichever of its names was typed, or else a
// keyed hash of the name: people mistype passwords into the username field.
func (s *Service) attemptKey(ctx context.Context, u account.User, login string) (string, error) {
	// Fetched in both cases, so that a sealed vault does not tell them apart.
	k, err := s.Signer.key(ctx)
	if err != nil {
		return "", err
	}
	if u.ID != 0 {
		return "user:" + audit.ID(u.ID), nil
	}
	mac := hmac.New(sha256.New, k.secret)
	_, _ = mac.Write([]byte("keyward/1/login-attempt\n" + textinput.Fold(login)))
	return "name:" + hex.EncodeToString(mac.Sum(nil)), nil
}

// Reauthenticate lets the person behind a session prove their identity again
// with the password, which counts as recent for a while.
func (s *Service) Reauthenticate(ctx context.Context, a access.Actor, pw secret.String) error {
	c := Client{IPAddress: a.IPAddress, UserAgent: a.UserAgent, RequestID: a.RequestID}
	u, err := s.CheckPassword(ctx, c, audit.Reauthenticate, a.Username, pw)
	if err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx) // see CheckPassword
	if u.ID != a.UserID {            // renamed, and the name reassigned, in between
		return Ended
	}
	return s.Proved(ctx, a, s.Now())
}

// Proved records when the person behind a session proved their identity. A
// future time counts as now; one before the session's own changes nothing.
func (s *Service) Proved(ctx context.Context, a access.Actor, at time.Time) error {
	if now := s.Now(); at.After(now) {
		at = now
	}
	return s.Store.SetAuthenticated(ctx, a.SessionID, at,
		audit.By(a, audit.Reauthenticate, "session", audit.ID(a.SessionID), ""))
}
