package store

import (
	"context"
	"errors"
	"time"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/session"
	"github.com/keyward/keyward/internal/store/sqlcgen"
)

// errNoSession: the decision issues a token and leaves the family without a session, a mistake of
// the caller.
var errNoSession = errors.New("the refresh decision leaves no session")

// Refresh implements session.Store. Times that the decision lacks (when a family is revoked) are
// the store's own.
func (db *DB) Refresh(
	ctx context.Context, hash string, decide func(session.RefreshState) session.RefreshDecision,
) (session.Session, error) {
	var present session.Session
	var refused error
	err := db.write(ctx, "refresh", func(ctx context.Context, t *tx) error {
		state, err := t.refreshState(ctx, hash)
		if err != nil {
			return err
		}
		decision := decide(state)
		refused = decision.Refuse
		if present, err = t.applyRefresh(ctx, state, decision); err != nil {
			return err
		}
		if refused == nil && present.ID == 0 {
			return errNoSession
		}
		return nil
	})
	if err == nil {
		err = refused
	}
	if err != nil {
		return session.Session{}, err
	}
	return present, nil
}

// refreshState reads what the decision depends on, after taking the
// family's lock.
func (t *tx) refreshState(ctx context.Context, hash string) (state session.RefreshState, err error) {
	f, err := t.q.LockFamilyOfToken(ctx, hash)
	if none(err) {
		return state, fault.New(fault.NotFound, "no_refresh_token", "There is no such refresh token. Sign in again.")
	}
	if err != nil {
		return state, err
	}
	state.Family = session.Family{ID: f.ID, UserID: f.UserID, SessionID: f.SessionID, CreatedAt: moment(f.CreatedAt),
		ExpiresAt: moment(f.ExpiresAt), RevokedAt: momentOf(f.RevokedAt), UserAgent: f.UserAgent}
	token, err := t.q.RefreshTokenByHash(ctx, hash)
	if err != nil {
		return state, err
	}
	state.Token = refreshToken(token)
	if token.SuccessorID != nil {
		next, err := t.q.RefreshTokenByID(ctx, *token.SuccessorID)
		if err != nil {
			return state, err
		}
		state.Successor = pointerTo(refreshToken(next))
	}
	if state.Session, err = t.sessionByID(ctx, f.SessionID); err != nil {
		return state, err
	}
	state.User, err = t.userByID(ctx, f.UserID)
	return state, err
}

func refreshToken(r sqlcgen.RefreshToken) session.RefreshToken {
	return session.RefreshToken{ID: r.ID, FamilyID: r.FamilyID, Hash: r.Hash, CreatedAt: moment(r.CreatedAt),
		UsedAt: momentOf(r.UsedAt), Successor: r.SuccessorID, Dead: r.Dead}
}

// sessionByID returns nil if there is none with that id.
func (t *tx) sessionByID(ctx context.Context, id int64) (*session.Session, error) {
	s, err := queryOne(ctx, t.sql, scanSession, sessionQuery+" WHERE s.id = $1", id)
	if none(err) {
		return nil, nil
	}
	return &s, err
}

// applyRefresh writes a decision and returns the family's session after it; the zero Session if
// there is none.
func (t *tx) applyRefresh(ctx context.Context, state session.RefreshState, d session.RefreshDecision) (session.Session, error) {
	if d.NewToken != nil {
		if err := t.succeed(ctx, state, *d.NewToken, d.Replace); err != nil {
			return session.Session{}, err
		}
	}
	id, entries := state.Family.SessionID, d.Entries
	if d.NewSession != nil {
		s := *d.NewSession
		s.UserID, s.FamilyID = state.Family.UserID, state.Family.ID
		var err error
		if id, err = t.addSession(ctx, s); err != nil {
			return session.Session{}, err
		}
		err = t.q.SetFamilySession(ctx, sqlcgen.SetFamilySessionParams{SessionID: id, ID: state.Family.ID})
		if err != nil {
			return session.Session{}, err
		}
		entries = about(entries, "session", audit.ID(id))
	}
	if d.RevokeAll {
		if err := t.revokeAll(ctx, state.Family.ID, id, t.now()); err != nil {
			return session.Session{}, err
		}
	}
	if err := t.audit(ctx, entries...); err != nil {
		return session.Session{}, err
	}
	present, err := t.sessionByID(ctx, id)
	return value(present), err
}

// succeed adds a new token after the presented one; with replace, in place of its unused successor.
func (t *tx) succeed(ctx context.Context, state session.RefreshState, next session.RefreshToken, replace bool) error {
	id, err := t.q.InsertRefreshToken(ctx, sqlcgen.InsertRefreshTokenParams{
		FamilyID: state.Family.ID, Hash: next.Hash, CreatedAt: micros(next.CreatedAt)})
	if err != nil {
		return err
	}
	if replace && state.Successor != nil {
		if err := t.q.KillRefreshToken(ctx, state.Successor.ID); err != nil {
			return err
		}
	}
	return t.q.SucceedRefreshToken(ctx, sqlcgen.SucceedRefreshTokenParams{
		At: pointerTo(micros(next.CreatedAt)), SuccessorID: &id, ID: state.Token.ID})
}

func (t *tx) revokeAll(ctx context.Context, family, present int64, at time.Time) error {
	if err := t.endFamily(ctx, family, at); err != nil {
		return err
	}
	_, err := t.closeSession(ctx, present, at)
	return err
}
