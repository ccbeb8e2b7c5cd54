package store

import (
	"context"
	"time"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/signon"
)

// AddState implements signon.Store.
func (db *DB) AddState(ctx context.Context, s signon.State) error {
	return db.write(ctx, "add state", func(ctx context.Context, t *tx) error {
		_, err := t.sql.ExecContext(ctx, `INSERT INTO oidc_states
			(state_hash, browser_hash, issuer, return_to, reauthenticate, created_at, expires_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7)`,
			s.Hash, s.BrowserHash, s.Issuer, s.ReturnTo, s.Reauthenticate, micros(s.CreatedAt), micros(s.ExpiresAt))
		return err
	})
}

// TakeState implements signon.Store. One statement, so that of two that come
// at once one alone gets it.
func (db *DB) TakeState(ctx context.Context, hash, browserHash string, at time.Time) (s signon.State, err error) {
	err = db.write(ctx, "take state", func(ctx context.Context, t *tx) (err error) {
		s, err = queryOne(ctx, t.sql, scanState, `UPDATE oidc_states SET used_at = $1
			WHERE state_hash = $2 AND browser_hash = $3 AND used_at IS NULL AND expires_at > $1
			RETURNING state_hash, browser_hash, issuer, return_to, reauthenticate, created_at, expires_at`,
			micros(at), hash, browserHash)
		if none(err) {
			err = fault.New(fault.NotFound, "no_round", "There is no such round.")
		}
		return err
	})
	return s, err
}

func scanState(row scanner) (s signon.State, err error) {
	var created, expires int64
	err = row.Scan(&s.Hash, &s.BrowserHash, &s.Issuer, &s.ReturnTo, &s.Reauthenticate, &created, &expires)
	s.CreatedAt, s.ExpiresAt = moment(created), moment(expires)
	return s, err
}

// AddCode implements signon.Store.
func (db *DB) AddCode(ctx context.Context, c signon.Code) error {
	return db.write(ctx, "add code", func(ctx context.Context, t *tx) error {
		_, err := t.sql.ExecContext(ctx, `INSERT INTO oidc_codes
			(code_hash, browser_hash, user_id, auth_time, reauthenticate, created_at, expires_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7)`,
			c.Hash, c.BrowserHash, c.UserID, microsOrZero(c.AuthTime), c.Reauthenticate, micros(c.CreatedAt), micros(c.ExpiresAt))
		return err
	})
}

const codeQuery = `SELECT c.code_hash, c.browser_hash, c.user_id, c.auth_time, c.reauthenticate, c.created_at,
	c.expires_at, c.used_at, c.family_id FROM oidc_codes AS c WHERE c.code_hash = $1`

func scanCode(row scanner) (c signon.Code, err error) {
	var authTime, created, expires int64
	var used, family *int64
	err = row.Scan(&c.Hash, &c.BrowserHash, &c.UserID, &authTime, &c.Reauthenticate, &created, &expires, &used, &family)
	c.CreatedAt, c.ExpiresAt, c.UsedAt, c.FamilyID = moment(created), moment(expires), momentOf(used), value(family)
	if authTime != 0 {
		c.AuthTime = moment(authTime)
	}
	return c, err
}

// Code implements signon.Store.
func (db *DB) Code(ctx context.Context, hash string) (signon.Code, error) {
	c, err := queryOne(ctx, db.read, scanCode, codeQuery, hash)
	if none(err) {
		err = fault.New(fault.NotFound, "no_code", "There is no such code.")
	}
	return c, asFault("code", err)
}

// TakeCode implements signon.Store.
func (db *DB) TakeCode(ctx context.Context, hash string, at time.Time, entries ...audit.Entry) error {
	return db.write(ctx, "take code", func(ctx context.Context, t *tx) error {
		if err := t.useCode(ctx, hash, 0, micros(at)); err != nil {
			return err
		}
		return t.audit(ctx, entries...)
	})
}

// useCode uses up a code in the transaction of what it is used for; without a
// code there is nothing to do.
func (t *tx) useCode(ctx context.Context, hash string, family, at int64) error {
	if hash == "" {
		return nil
	}
	var began *int64
	if family != 0 {
		began = &family
	}
	done, err := t.sql.ExecContext(ctx,
		"UPDATE oidc_codes SET used_at = $1, family_id = $2 WHERE code_hash = $3 AND used_at IS NULL", at, began, hash)
	if err != nil {
		return err
	}
	n, err := done.RowsAffected()
	if err == nil && n == 0 {
		err = fault.New(fault.Conflict, "code_used", "The one-time code has been used. Begin the single sign-on again.")
	}
	return err
}

// ReplayedCode implements signon.Store.
func (db *DB) ReplayedCode(ctx context.Context, hash string, at time.Time, ended audit.Entry, entries ...audit.Entry) error {
	return db.write(ctx, "replayed code", func(ctx context.Context, t *tx) error {
		c, err := queryOne(ctx, t.sql, scanCode, codeQuery, hash)
		if err != nil && !none(err) {
			return err
		}
		if c.FamilyID != 0 {
			// The family by itself, too: its session may be cleaned up already.
			if err := t.endFamily(ctx, c.FamilyID, at); err != nil {
				return err
			}
			present, err := queryOne(ctx, t.sql, scanID, "SELECT f.session_id FROM refresh_families AS f WHERE f.id = $1", c.FamilyID)
			if err != nil && !none(err) {
				return err
			}
			over, err := t.closeSession(ctx, present, at)
			if err != nil {
				return err
			}
			if over {
				entries = append(about([]audit.Entry{ended}, "session", audit.ID(present)), entries...)
			}
		}
		return t.audit(ctx, entries...)
	})
}

func scanID(row scanner) (id int64, err error) {
	err = row.Scan(&id)
	return id, err
}

// DeleteExpiredSignOns implements signon.Store.
func (db *DB) DeleteExpiredSignOns(ctx context.Context, states, codes time.Time, limit int) (gone int64, err error) {
	err = db.write(ctx, "delete expired sign-ons", func(ctx context.Context, t *tx) error {
		gone = 0
		for query, before := range map[string]time.Time{
			`DELETE FROM oidc_states WHERE state_hash IN (SELECT s.state_hash FROM oidc_states AS s
				WHERE s.expires_at < $1 ORDER BY s.expires_at LIMIT $2)`: states,
			`DELETE FROM oidc_codes WHERE code_hash IN (SELECT c.code_hash FROM oidc_codes AS c
				WHERE c.expires_at < $1 ORDER BY c.expires_at LIMIT $2)`: codes,
		} {
			done, err := t.sql.ExecContext(ctx, query, micros(before), limit)
			if err != nil {
				return err
			}
			n, err := done.RowsAffected()
			if err != nil {
				return err
			}
			gone = max(gone, n)
		}
		return nil
	})
	return gone, err
}
