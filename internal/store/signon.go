package store

import (
	"context"
	"time"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/signon"
	"github.com/keyward/keyward/internal/store/sqlcgen"
)

// AddState implements signon.Store.
func (db *DB) AddState(ctx context.Context, s signon.State) error {
	return db.write(ctx, "add state", func(ctx context.Context, t *tx) error {
		return t.q.InsertState(ctx, sqlcgen.InsertStateParams{
			StateHash: s.Hash, BrowserHash: s.BrowserHash, Issuer: s.Issuer, ReturnTo: s.ReturnTo, Reauthenticate: s.Reauthenticate,
			CreatedAt: micros(s.CreatedAt), ExpiresAt: micros(s.ExpiresAt),
		})
	})
}

// TakeState implements signon.Store.
func (db *DB) TakeState(ctx context.Context, hash, browserHash string, at time.Time) (s signon.State, err error) {
	err = db.write(ctx, "take state", func(ctx context.Context, t *tx) error {
		row, err := t.q.TakeState(ctx, sqlcgen.TakeStateParams{At: pointerTo(micros(at)), StateHash: hash, BrowserHash: browserHash})
		if none(err) {
			err = fault.New(fault.NotFound, "no_round", "There is no such round.")
		}
		s = signon.State{Hash: row.StateHash, BrowserHash: row.BrowserHash, Issuer: row.Issuer, ReturnTo: row.ReturnTo,
			Reauthenticate: row.Reauthenticate, CreatedAt: moment(row.CreatedAt), ExpiresAt: moment(row.ExpiresAt)}
		return err
	})
	return s, err
}

// AddCode implements signon.Store.
func (db *DB) AddCode(ctx context.Context, c signon.Code) error {
	return db.write(ctx, "add code", func(ctx context.Context, t *tx) error {
		return t.q.InsertCode(ctx, sqlcgen.InsertCodeParams{
			CodeHash: c.Hash, BrowserHash: c.BrowserHash, UserID: c.UserID, AuthTime: microsOrZero(c.AuthTime),
			Reauthenticate: c.Reauthenticate, CreatedAt: micros(c.CreatedAt), ExpiresAt: micros(c.ExpiresAt),
		})
	})
}

func codeOf(row sqlcgen.OidcCode) signon.Code {
	c := signon.Code{
		Hash: row.CodeHash, BrowserHash: row.BrowserHash, UserID: row.UserID, Reauthenticate: row.Reauthenticate,
		CreatedAt: moment(row.CreatedAt), ExpiresAt: moment(row.ExpiresAt), UsedAt: momentOf(row.UsedAt), FamilyID: value(row.FamilyID),
	}
	if row.AuthTime != 0 {
		c.AuthTime = moment(row.AuthTime)
	}
	return c
}

// Code implements signon.Store.
func (db *DB) Code(ctx context.Context, hash string) (signon.Code, error) {
	row, err := db.q().Code(ctx, hash)
	if none(err) {
		err = fault.New(fault.NotFound, "no_code", "There is no such code.")
	}
	if err != nil {
		return signon.Code{}, asFault("code", err)
	}
	return codeOf(row), nil
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

// useCode uses up a code in the transaction that it is used for; without a code it does nothing.
func (t *tx) useCode(ctx context.Context, hash string, family, at int64) error {
	if hash == "" {
		return nil
	}
	var began *int64
	if family != 0 {
		began = &family
	}
	n, err := t.q.UseCode(ctx, sqlcgen.UseCodeParams{At: &at, FamilyID: began, CodeHash: hash})
	if err == nil && n == 0 {
		err = fault.New(fault.Conflict, "code_used", "The one-time code was already used. Start single sign-on again.")
	}
	return err
}

// ReplayedCode implements signon.Store.
func (db *DB) ReplayedCode(ctx context.Context, hash string, at time.Time, ended audit.Entry, entries ...audit.Entry) error {
	return db.write(ctx, "replayed code", func(ctx context.Context, t *tx) error {
		c, err := t.q.Code(ctx, hash)
		if err != nil && !none(err) {
			return err
		}
		if c.FamilyID != nil {
			// The family itself, too: its session may have been deleted already.
			if err := t.endFamily(ctx, *c.FamilyID, at); err != nil {
				return err
			}
			present, err := t.q.SessionOfFamily(ctx, *c.FamilyID)
			if err != nil && !none(err) {
				return err
			}
			over, err := t.closeSession(ctx, present, at)
			if err != nil {
				return err
			}
			if over {
				if err := t.audit(ctx, about([]audit.Entry{ended}, "session", audit.ID(present))...); err != nil {
					return err
				}
			}
		}
		return t.audit(ctx, entries...)
	})
}

// DeleteExpiredSignOns implements signon.Store.
func (db *DB) DeleteExpiredSignOns(ctx context.Context, states, codes time.Time, limit int) (gone int64, err error) {
	err = db.write(ctx, "delete expired sign-ons", func(ctx context.Context, t *tx) error {
		rows := int32(min(limit, 1<<30))
		rounds, err := t.q.DeleteExpiredStates(ctx, sqlcgen.DeleteExpiredStatesParams{Before: micros(states), MaxRows: rows})
		if err != nil {
			return err
		}
		gone, err = t.q.DeleteExpiredCodes(ctx, sqlcgen.DeleteExpiredCodesParams{Before: micros(codes), MaxRows: rows})
		gone = max(gone, rounds)
		return err
	})
	return gone, err
}
