package store

import (
	"context"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/session"
	"github.com/keyward/keyward/internal/store/sqlcgen"
)

// BeginSession implements session.Store.
func (db *DB) BeginSession(
	ctx context.Context, s session.Session, f session.Family, token session.RefreshToken, entries ...audit.Entry,
) (session.Session, error) {
	err := db.write(ctx, "begin session", func(ctx context.Context, t *tx) error {
		at := micros(s.CreatedAt)
		u, err := t.q.SetLastLogin(ctx, sqlcgen.SetLastLoginParams{At: &at, ID: s.UserID})
		switch {
		case none(err):
			return noUser
		case err != nil:
			return err
		case !u.IsActive:
			return account.User{}.MaySignIn()
		case !f.PasswordChangedAt.IsZero() && u.PasswordChangedAt != micros(f.PasswordChangedAt):
			return fault.New(fault.InvalidCredentials, "password_changed", "The password has just been changed. Sign in with the new one.")
		}
		if err := t.checkDisabled(ctx, u.OrganizationID); err != nil {
			return err
		}
		s.OrganizationID = u.OrganizationID
		if s.ID, err = t.addSession(ctx, s); err != nil {
			return err
		}
		s.FamilyID, err = t.q.InsertFamily(ctx, sqlcgen.InsertFamilyParams{
			UserID: s.UserID, SessionID: s.ID, CreatedAt: micros(f.CreatedAt), ExpiresAt: micros(f.ExpiresAt), UserAgent: f.UserAgent})
		if err != nil {
			return err
		}
		if err := t.useCode(ctx, f.Code, s.FamilyID, micros(s.CreatedAt)); err != nil {
			return err
		}
		if err := t.q.SetSessionFamily(ctx, sqlcgen.SetSessionFamilyParams{FamilyID: s.FamilyID, ID: s.ID}); err != nil {
			return err
		}
		_, err = t.q.InsertRefreshToken(ctx, sqlcgen.InsertRefreshTokenParams{
			FamilyID: s.FamilyID, Hash: token.Hash, CreatedAt: micros(token.CreatedAt)})
		if err != nil {
			return err
		}
		return t.audit(ctx, about(entries, "session", audit.ID(s.ID))...)
	})
	if err != nil {
		return session.Session{}, err
	}
	return rounded(s), nil
}

// rounded is the session as a reader sees it.
func rounded(s session.Session) session.Session {
	s.CreatedAt, s.ExpiresAt = moment(micros(s.CreatedAt)), moment(micros(s.ExpiresAt))
	if !s.AuthenticatedAt.IsZero() {
		s.AuthenticatedAt = moment(micros(s.AuthenticatedAt))
	}
	return s
}

func (t *tx) addSession(ctx context.Context, s session.Session) (int64, error) {
	return t.q.InsertSession(ctx, sqlcgen.InsertSessionParams{
		UserID: s.UserID, FamilyID: s.FamilyID, TokenHash: s.TokenHash, IpAddress: s.IPAddress, UserAgent: s.UserAgent,
		MachineID: s.MachineID, Hostname: s.Hostname, CreatedAt: micros(s.CreatedAt), ExpiresAt: micros(s.ExpiresAt),
		OverAt: micros(s.ExpiresAt), Active: s.Active, AgentKeyFingerprint: s.AgentKeyFingerprint,
		AgentPublicKey: s.AgentPublicKey, AuthenticatedAt: microsOrZero(s.AuthenticatedAt), AuthMethod: string(s.AuthMethod),
	})
}

const sessionColumns = `s.id, s.user_id, s.family_id, s.token_hash, s.ip_address, s.user_agent, s.machine_id,
	s.hostname, s.created_at, s.expires_at, s.active, s.agent_key_fingerprint, s.agent_public_key, s.authenticated_at,
	s.auth_method, s.agent_key_mac`

const sessionFrom = " FROM sessions AS s JOIN users AS u ON u.id = s.user_id"

const sessionQuery = "SELECT u.organization_id, " + sessionColumns + sessionFrom

func scanSession(row scanner) (s session.Session, err error) {
	var created, expires, authenticated int64
	err = row.Scan(&s.OrganizationID, &s.ID, &s.UserID, &s.FamilyID, &s.TokenHash, &s.IPAddress, &s.UserAgent, &s.MachineID,
		&s.Hostname, &created, &expires, &s.Active, &s.AgentKeyFingerprint, &s.AgentPublicKey, &authenticated, &s.AuthMethod,
		&s.AgentKeyMAC)
	s.CreatedAt, s.ExpiresAt, s.AuthenticatedAt = moment(created), moment(expires), momentOrZero(authenticated)
	return s, err
}

var noSession = fault.New(fault.NotFound, "no_session", "There is no such session.")

// Session implements session.Store.
func (db *DB) Session(ctx context.Context, scope access.Scope, id int64) (session.Session, error) {
	w := &where{}
	w.equal("s.id", id)
	w.scope(scope, columns{"u.organization_id", "s.user_id"}, nil, nil, false)
	s, err := queryOne(ctx, db.read, scanSession, sessionQuery+w.String(), w.args...)
	if none(err) {
		err = noSession
	}
	return s, asFault("session", err)
}

// ListSessions implements session.Store.
func (db *DB) ListSessions(ctx context.Context, scope access.Scope, userID int64, p page.Request) (page.Page[session.Session], error) {
	w := &where{}
	w.scope(scope, columns{"u.organization_id", "s.user_id"}, &userID, nil, true)
	list := listed[session.Session]{"SELECT u.organization_id, " + sessionColumns, sessionFrom,
		"", "s.id", scanSession, func(s session.Session) int64 { return s.ID }}
	return list.page(ctx, db, "list sessions", w, p)
}

// EndSession implements session.Store.
func (db *DB) EndSession(ctx context.Context, id int64, at time.Time, entries ...audit.Entry) error {
	return db.write(ctx, "end session", func(ctx context.Context, t *tx) error {
		ended, err := t.closeSession(ctx, id, at)
		if err != nil || !ended {
			return err
		}
		return t.audit(ctx, about(entries, "session", audit.ID(id))...)
	})
}

// closeSession reports whether there was anything to end.
func (t *tx) closeSession(ctx context.Context, id int64, at time.Time) (bool, error) {
	family, err := t.q.EndSession(ctx, sqlcgen.EndSessionParams{At: micros(at), ID: id})
	if none(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, t.q.RevokeFamilyOfSession(ctx, sqlcgen.RevokeFamilyOfSessionParams{
		At: pointerTo(micros(at)), ID: family, SessionID: id})
}

func (t *tx) endFamily(ctx context.Context, id int64, at time.Time) error {
	return t.q.RevokeFamily(ctx, sqlcgen.RevokeFamilyParams{At: pointerTo(micros(at)), ID: id})
}

// DeleteExpiredSessions implements session.Store.
func (db *DB) DeleteExpiredSessions(ctx context.Context, before time.Time, limit int) (gone int64, err error) {
	err = db.write(ctx, "delete expired sessions", func(ctx context.Context, t *tx) error {
		gone, err = t.q.DeleteSessionsOverBefore(ctx, sqlcgen.DeleteSessionsOverBeforeParams{
			Before: micros(before), MaxRows: int32(min(limit, 1<<30))})
		if err != nil {
			return err
		}
		_, err = t.q.DeleteFamiliesExpiredBefore(ctx, sqlcgen.DeleteFamiliesExpiredBeforeParams{
			Before: micros(before), MaxRows: int32(min(limit, 1<<30))})
		return err
	})
	if err != nil {
		gone = 0
	}
	return gone, err
}

// Authenticate implements session.Store. The user comes without the password
// hash.
func (db *DB) Authenticate(ctx context.Context, sessionID int64) (session.Session, account.User, error) {
	if err := ctx.Err(); err != nil {
		return session.Session{}, account.User{}, asFault("authenticate", err)
	}
	r, err := checked(ctx, db, func(ctx context.Context) (sqlcgen.AuthenticateRow, error) {
		return sqlcgen.New(db.check).Authenticate(ctx, sessionID)
	})
	if none(err) {
		err = noSession
	}
	if err != nil {
		return session.Session{}, account.User{}, asFault("authenticate", err)
	}
	s := session.Session{
		ID: r.ID, UserID: r.UserID, FamilyID: r.FamilyID, TokenHash: r.TokenHash, IPAddress: r.IpAddress, UserAgent: r.UserAgent,
		MachineID: r.MachineID, Hostname: r.Hostname, CreatedAt: moment(r.CreatedAt), ExpiresAt: moment(r.ExpiresAt),
		Active: r.Active, AuthenticatedAt: momentOrZero(r.AuthenticatedAt), AuthMethod: session.Method(r.AuthMethod),
		AgentPublicKey: r.AgentPublicKey, AgentKeyFingerprint: r.AgentKeyFingerprint, OrganizationID: r.OrganizationID,
	}
	return s, account.User{
		ID: r.UserID, Username: r.Username, Name: r.UserName, Email: r.Email, Role: access.Role(r.Role),
		OrganizationID: r.OrganizationID, OrganizationName: r.Organization, OrganizationDisabled: !r.OrganizationActive, IsActive: r.IsActive,
		MustChangePassword: r.MustChangePassword, AuthSource: account.Source(r.AuthSource), CreatedAt: moment(r.UserCreatedAt),
		UpdatedAt: moment(r.UpdatedAt), PasswordChangedAt: moment(r.PasswordChangedAt),
		LastLoginAt: momentOf(r.LastLoginAt), LockedUntil: momentOf(r.LockedUntil),
		Language: r.Language, MailFailedAt: momentOf(r.MailFailedAt), MailError: r.MailError,
	}, nil
}
