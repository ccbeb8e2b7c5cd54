package store

import (
	"context"
	"time"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/session"
)

// attemptRow is a row of login_attempts.
type attemptRow struct {
	failures     int64
	held, locked *int64
}

// attempts reads a row, after making and locking it.
func (t *tx) attempts(ctx context.Context, a session.Attempt) (attemptRow, error) {
	var userID *int64
	if a.UserID != 0 {
		userID = &a.UserID
	}
	return queryOne(ctx, t.sql, func(row scanner) (r attemptRow, err error) {
		err = row.Scan(&r.failures, &r.held, &r.locked)
		return r, err
	}, `INSERT INTO login_attempts (attempt_key, user_id, failures, last_at) VALUES ($1, $2, 0, $3)
		ON CONFLICT (attempt_key) DO UPDATE SET last_at = EXCLUDED.last_at
		RETURNING failures, held_until, locked_until`, a.Key, userID, micros(a.At))
}

func (t *tx) setAttempts(ctx context.Context, a session.Attempt, r attemptRow) error {
	_, err := t.sql.ExecContext(ctx,
		"UPDATE login_attempts SET failures = $1, held_until = $2, locked_until = $3 WHERE attempt_key = $4",
		r.failures, r.held, r.locked, a.Key)
	return err
}

// lock writes the lock and its alarm, also to the account that it shows at.
func (t *tx) lock(ctx context.Context, a session.Attempt, r attemptRow, alarm session.Alarm) error {
	until := micros(a.At.Add(a.Lockout.Duration))
	r.held, r.locked = nil, &until
	if err := t.setAttempts(ctx, a, r); err != nil {
		return err
	}
	if err := t.audit(ctx, alarm.Entry); err != nil || a.UserID == 0 {
		return err
	}
	if err := t.notify(ctx, alarm.Told); err != nil {
		return err
	}
	_, err := t.sql.ExecContext(ctx, "UPDATE users SET locked_until = $1 WHERE id = $2", until, a.UserID)
	return err
}

// ReserveAttempt implements session.Attempts.
func (db *DB) ReserveAttempt(ctx context.Context, a session.Attempt, alarm session.Alarm) error {
	var refused error
	err := db.write(ctx, "reserve attempt", func(ctx context.Context, t *tx) error {
		r, err := t.attempts(ctx, a)
		if err != nil {
			return err
		}
		now := micros(a.At)
		switch {
		case r.locked != nil && *r.locked > now:
			refused = locked(moment(*r.locked).Sub(a.At))
			return nil
		case r.locked != nil:
			r = attemptRow{}
		}
		switch {
		case r.failures < int64(a.Lockout.Attempts):
			r.failures++
		case r.held != nil && *r.held > now:
			refused = fault.New(fault.RateLimited, "account_sign_ins", "Too many sign-ins to this account at once. Try again in a moment.").After(time.Second)
			return nil
		default:
			refused = locked(a.Lockout.Duration)
			return t.lock(ctx, a, r, alarm)
		}
		r.held = nil
		if r.failures == int64(a.Lockout.Attempts) {
			r.held = pointerTo(micros(a.At.Add(a.Hold)))
		}
		return t.setAttempts(ctx, a, r)
	})
	if err == nil {
		err = refused
	}
	return err
}

func locked(wait time.Duration) error {
	return fault.New(fault.AccountLocked, "", "Too many failed sign-ins in a row. Wait as long as Retry-After says, or ask an administrator to unlock the account.").
		After(max(wait, time.Second))
}

// FailAttempt implements session.Attempts.
func (db *DB) FailAttempt(ctx context.Context, a session.Attempt, alarm session.Alarm, entries ...audit.Entry) error {
	return db.write(ctx, "fail attempt", func(ctx context.Context, t *tx) error {
		r, err := t.attempts(ctx, a)
		if err != nil {
			return err
		}
		if r.failures >= int64(a.Lockout.Attempts) && (r.locked == nil || *r.locked <= micros(a.At)) {
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
		if err != nil || r.failures == 0 {
			return err
		}
		r.failures, r.held = r.failures-1, nil
		return t.setAttempts(ctx, a, r)
	})
}

// ClearAttempts implements session.Attempts.
func (db *DB) ClearAttempts(ctx context.Context, a session.Attempt) error {
	return db.write(ctx, "clear attempts", func(ctx context.Context, t *tx) error {
		if _, err := t.sql.ExecContext(ctx, "DELETE FROM login_attempts WHERE attempt_key = $1", a.Key); err != nil {
			return err
		}
		_, err := t.sql.ExecContext(ctx, "UPDATE users SET locked_until = NULL WHERE id = $1 AND locked_until IS NOT NULL", a.UserID)
		return err
	})
}

// DeleteStaleAttempts implements session.Attempts.
func (db *DB) DeleteStaleAttempts(ctx context.Context, before time.Time, limit int) (gone int64, err error) {
	err = db.write(ctx, "delete stale attempts", func(ctx context.Context, t *tx) error {
		done, err := t.sql.ExecContext(ctx, `DELETE FROM login_attempts WHERE attempt_key IN (
			SELECT a.attempt_key FROM login_attempts AS a WHERE a.last_at < $1
			AND (a.locked_until IS NULL OR a.locked_until < $1) ORDER BY a.last_at LIMIT $2)`, micros(before), limit)
		if err != nil {
			return err
		}
		gone, err = done.RowsAffected()
		return err
	})
	return gone, err
}

// Unlock implements user.Store.
func (db *DB) Unlock(ctx context.Context, userID int64, at time.Time, entries ...audit.Entry) error {
	return db.write(ctx, "unlock", func(ctx context.Context, t *tx) error {
		if err := t.clearLock(ctx, userID, at); err != nil {
			return err
		}
		return t.audit(ctx, entries...)
	})
}

func (t *tx) clearLock(ctx context.Context, userID int64, at time.Time) error {
	done, err := t.sql.ExecContext(ctx, "UPDATE users SET locked_until = NULL, updated_at = $1 WHERE id = $2", micros(at), userID)
	if err != nil {
		return err
	}
	if n, err := done.RowsAffected(); err != nil || n == 0 {
		if err == nil {
			err = noUser
		}
		return err
	}
	_, err = t.sql.ExecContext(ctx, "DELETE FROM login_attempts WHERE user_id = $1", userID)
	return err
}
