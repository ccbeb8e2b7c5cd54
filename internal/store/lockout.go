package store

// Guesses at passwords: where one too many is refused, and the account locked.

import (
	"context"
	"time"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/session"
	"github.com/keyward/keyward/internal/store/sqlcgen"
)

// attempts creates a row if needed, locks and returns it.
func (t *tx) attempts(ctx context.Context, a session.Attempt) (sqlcgen.LockAttemptsRow, error) {
	var userID *int64
	if a.UserID != 0 {
		userID = &a.UserID
	}
	return t.q.LockAttempts(ctx, sqlcgen.LockAttemptsParams{AttemptKey: a.Key, UserID: userID, LastAt: micros(a.At)})
}

func (t *tx) setAttempts(ctx context.Context, a session.Attempt, r sqlcgen.LockAttemptsRow) error {
	return t.q.SetAttempts(ctx, sqlcgen.SetAttemptsParams{
		Failures: r.Failures, HeldUntil: r.HeldUntil, LockedUntil: r.LockedUntil, AttemptKey: a.Key})
}

// lock writes the lock and its alarm, also to the account that shows it.
func (t *tx) lock(ctx context.Context, a session.Attempt, r sqlcgen.LockAttemptsRow, alarm session.Alarm) error {
	until := micros(a.At.Add(a.Lockout.Duration))
	r.HeldUntil, r.LockedUntil = nil, &until
	if err := t.setAttempts(ctx, a, r); err != nil {
		return err
	}
	if err := t.audit(ctx, alarm.Entry); err != nil || a.UserID == 0 {
		return err
	}
	if err := t.notify(ctx, alarm.Notice); err != nil {
		return err
	}
	return t.q.ShowLock(ctx, sqlcgen.ShowLockParams{Until: &until, ID: a.UserID})
}

// ReserveAttempt implements session.Attempts.
func (db *DB) ReserveAttempt(ctx context.Context, a session.Attempt, alarm session.Alarm) error {
	var refused error
	err := db.write(ctx, "reserve attempt", func(ctx context.Context, t *tx) error {
		refused = nil
		r, err := t.attempts(ctx, a)
		if err != nil {
			return err
		}
		now := micros(a.At)
		switch {
		case r.LockedUntil != nil && *r.LockedUntil > now:
			refused = locked(moment(*r.LockedUntil).Sub(a.At))
			return nil
		case r.LockedUntil != nil:
			r = sqlcgen.LockAttemptsRow{}
		}
		switch {
		case r.Failures < int64(a.Lockout.Attempts):
			r.Failures++
		case r.HeldUntil != nil && *r.HeldUntil > now:
			refused = fault.New(fault.RateLimited, "account_sign_ins",
				"Too many sign-ins to this account at once. Try again in a moment.").After(time.Second)
			return nil
		default:
			refused = locked(a.Lockout.Duration)
			return t.lock(ctx, a, r, alarm)
		}
		r.HeldUntil = nil
		if r.Failures == int64(a.Lockout.Attempts) {
			r.HeldUntil = pointerTo(micros(a.At.Add(a.Hold)))
		}
		return t.setAttempts(ctx, a, r)
	})
	if err == nil {
		err = refused
	}
	return err
}

func locked(wait time.Duration) error {
	return fault.New(fault.AccountLocked, "",
		"Too many failed sign-ins in a row. Wait as long as Retry-After says, or ask an administrator to unlock the account.").
		After(max(wait, time.Second))
}

// FailAttempt implements session.Attempts.
func (db *DB) FailAttempt(ctx context.Context, a session.Attempt, alarm session.Alarm, entries ...audit.Entry) error {
	return db.write(ctx, "fail attempt", func(ctx context.Context, t *tx) error {
		r, err := t.attempts(ctx, a)
		if err != nil {
			return err
		}
		if r.Failures >= int64(a.Lockout.Attempts) && (r.LockedUntil == nil || *r.LockedUntil <= micros(a.At)) {
			if err := t.audit(ctx, entries...); err != nil {
				return err
			}
			return t.lock(ctx, a, r, alarm)
		}
		return t.audit(ctx, entries...)
	})
}

// ReleaseAttempt implements session.Attempts.
func (db *DB) ReleaseAttempt(ctx context.Context, a session.Attempt) error {
	return db.write(ctx, "release attempt", func(ctx context.Context, t *tx) error {
		r, err := t.attempts(ctx, a)
		if err != nil || r.Failures == 0 {
			return err
		}
		r.Failures, r.HeldUntil = r.Failures-1, nil
		return t.setAttempts(ctx, a, r)
	})
}

// ClearAttempts implements session.Attempts.
func (db *DB) ClearAttempts(ctx context.Context, a session.Attempt) error {
	return db.write(ctx, "clear attempts", func(ctx context.Context, t *tx) error {
		if err := t.q.DeleteAttempts(ctx, a.Key); err != nil {
			return err
		}
		return t.q.HideLock(ctx, a.UserID)
	})
}

// DeleteStaleAttempts implements session.Attempts.
func (db *DB) DeleteStaleAttempts(ctx context.Context, before time.Time, limit int) (gone int64, err error) {
	err = db.write(ctx, "delete stale attempts", func(ctx context.Context, t *tx) error {
		gone, err = t.q.DeleteStaleAttempts(ctx, sqlcgen.DeleteStaleAttemptsParams{
			Before: micros(before), MaxRows: int32(min(limit, 1<<30))})
		return err
	})
	return gone, err
}

// Unlock implements account.UserStore.
func (db *DB) Unlock(ctx context.Context, userID int64, at time.Time, entries ...audit.Entry) error {
	return db.write(ctx, "unlock", func(ctx context.Context, t *tx) error {
		if err := t.clearLock(ctx, userID, at); err != nil {
			return err
		}
		return t.audit(ctx, entries...)
	})
}

func (t *tx) clearLock(ctx context.Context, userID int64, at time.Time) error {
	n, err := t.q.UnlockUser(ctx, sqlcgen.UnlockUserParams{At: micros(at), ID: userID})
	if err != nil {
		return err
	}
	if n == 0 {
		return noUser
	}
	return t.q.DeleteAttemptsOfUser(ctx, &userID)
}
