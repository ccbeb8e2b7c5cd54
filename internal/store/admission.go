package store

import (
	"context"
	"fmt"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/session"
)

// Admitted checks the actor of a request again, outside of a transaction, for what goes to the
// vault first, just before its compare-and-set. It is nil outside of a request. SessionNotFound,
// AccountDisabled, PermissionDenied, ReauthenticationRequired, and for API keys TokenInvalid and
// TokenExpired.
func (db *DB) Admitted(ctx context.Context) error {
	a := access.AdmissionOf(ctx)
	if a == nil {
		return nil
	}
	as := func(query string, _ ...string) string { return query }
	_, err := checked(ctx, db, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, stillAdmitted(ctx, db.check, a, db.opts.Now(), as)
	})
	return asFault("admitted", err)
}

// CheckWithin bounds a request's check on PostgreSQL: the wait for a connection, and for the
// answer.
const CheckWithin = 10 * time.Second

// checked runs the query of a request's check. A point query takes microseconds: too short to be
// worth a goroutine that watches the request's context on SQLite, or losing a connection to
// PostgreSQL. But a PostgreSQL server may not answer at all, hence the timeout.
func checked[T any](ctx context.Context, db *DB, ask func(context.Context) (T, error)) (T, error) {
	ctx = context.WithoutCancel(ctx)
	if db.checkedWithin == 0 {
		return ask(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, db.checkedWithin)
	defer cancel()
	v, err := ask(ctx)
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("%w: %w", errNoAnswer, err)
	}
	return v, err
}

// admitted is the same inside a transaction, where what it reads stays unchanged until the commit.
// Every write of a request makes this check, on PostgreSQL together with its BEGIN; see
// access.Admission.
func (t *tx) admitted(ctx context.Context, a *access.Admission) error {
	if a == nil {
		return nil
	}
	return stillAdmitted(ctx, t.sql, a, t.now(), t.keeping)
}

func stillAdmitted(
	ctx context.Context, from querier, a *access.Admission, now time.Time, as func(query string, tables ...string) string,
) error {
	c := checkOf(a)
	return c.judge(from.QueryRowContext(ctx, as(c.query, c.tables...), c.number), now)
}

// check is one read by the session's or the key's number.
type check struct {
	query  string
	tables []string // whose rows must stay unchanged
	number int64
	judge  func(row scanner, now time.Time) error
}

func checkOf(a *access.Admission) check {
	if a.Actor.APIKeyID != 0 {
		return check{keyStanding, []string{"k", "u"}, a.Actor.APIKeyID, judgeKey}
	}
	return check{sessionStanding, []string{"s", "u"}, a.Actor.SessionID, func(row scanner, now time.Time) error {
		return judgeSession(row, a, now)
	}}
}

func judgeKey(row scanner, now time.Time) error {
	k, err := scanKeyStanding(row)
	if none(err) {
		return session.UnknownAPIKey
	}
	if err != nil {
		return err
	}
	return k.key.MayAct(k.standing, now)
}

func judgeSession(row scanner, a *access.Admission, now time.Time) error {
	s, err := scanSessionStanding(row)
	if err != nil && !none(err) {
		return err
	}
	if none(err) || s.session.UserID != a.Actor.UserID {
		return session.Ended
	}
	if err := session.MayAct(s.session, s.user, now); err != nil {
		return err
	}
	if s.user.Role != a.Actor.Role || !access.SameID(s.user.OrganizationID, a.Actor.OrganizationID) {
		return access.ActorChanged
	}
	if a.Recent {
		return access.Recently(access.Actor{AuthenticatedAt: s.session.AuthenticatedAt}, now)
	}
	return nil
}

const sessionStanding = `SELECT s.user_id, s.active, s.expires_at, s.authenticated_at, u.is_active, u.role, u.organization_id,
	COALESCE(o.is_active, TRUE)
FROM sessions AS s JOIN users AS u ON u.id = s.user_id LEFT JOIN organizations AS o ON o.id = u.organization_id
WHERE s.id = $1`

type sessionStands struct {
	session session.Session
	user    account.User
}

func scanSessionStanding(row scanner) (v sessionStands, err error) {
	var expires, authenticated int64
	var organizationActive bool
	err = row.Scan(&v.session.UserID, &v.session.Active, &expires, &authenticated, &v.user.IsActive, &v.user.Role,
		&v.user.OrganizationID, &organizationActive)
	v.session.ExpiresAt, v.session.AuthenticatedAt = moment(expires), momentOrZero(authenticated)
	v.user.OrganizationDisabled = !organizationActive
	return v, err
}

const keyStanding = `SELECT k.role, k.organization_id, k.expires_at, k.revoked_at, u.is_active, u.role, u.organization_id,
	COALESCE(o.is_active, TRUE)
FROM api_keys AS k JOIN users AS u ON u.id = k.created_by LEFT JOIN organizations AS o ON o.id = k.organization_id
WHERE k.id = $1`

type keyStands struct {
	key      session.APIKey
	standing session.APIKeyDependencies
}

func scanKeyStanding(row scanner) (v keyStands, err error) {
	var expires int64
	var revoked *int64
	err = row.Scan(&v.key.Role, &v.key.OrganizationID, &expires, &revoked, &v.standing.CreatorActive, &v.standing.CreatorRole,
		&v.standing.CreatorOrganizationID, &v.standing.OrganizationActive)
	v.key.ExpiresAt, v.key.RevokedAt = moment(expires), momentOf(revoked)
	return v, err
}
