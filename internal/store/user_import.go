package store

import (
	"context"
	"slices"
	"time"

	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/store/sqlcgen"
)

// AddUsers implements account.UserStore.
func (db *DB) AddUsers(ctx context.Context, list []account.Addition) (failed int, err error) {
	err = db.writeInTurn(ctx, "add users", (*sqlcgen.Queries).LockAccounts, func(ctx context.Context, t *tx) error {
		for i, a := range list {
			failed = i
			if err := t.addInvited(ctx, a); err != nil {
				return err
			}
		}
		failed = -1 // later errors are about all of them
		return nil
	})
	return failed, err
}

func (t *tx) addInvited(ctx context.Context, a account.Addition) error {
	u, err := t.addUser(ctx, a.User, a.Entry)
	if err != nil || a.Invite == nil {
		return err
	}
	err = t.q.PutInvitation(ctx, sqlcgen.PutInvitationParams{
		UserID: u.ID, TokenHash: a.Invite.Hash, ExpiresAt: micros(a.Invite.ExpiresAt)})
	if err != nil {
		return err
	}
	entry := a.Invited
	entry.Notify = slices.Clone(entry.Notify)
	for i := range entry.Notify {
		entry.Notify[i].To.UserID = u.ID
	}
	return t.audit(ctx, about([]audit.Entry{entry}, "user", audit.ID(u.ID))...)
}

// LoginsAmong implements account.UserStore.
func (db *DB) LoginsAmong(ctx context.Context, folded []string, now time.Time) (map[string]account.Login, error) {
	return db.namesAmong(ctx, "logins", "login_key", folded, now)
}

// namesAmong finds the owners of names in a table of them.
func (db *DB) namesAmong(ctx context.Context, table, column string, folded []string, now time.Time) (map[string]account.Login, error) {
	type owned struct {
		key   string
		login account.Login
	}
	out := map[string]account.Login{}
	for part := range slices.Chunk(folded, chunk) {
		w := &where{}
		oneOf(w, "l."+column, part)
		rows, err := queryAll(ctx, db.read, func(row scanner) (o owned, err error) {
			var until *int64
			u := &o.login.User
			err = row.Scan(&o.key, &until, &u.ID, &u.Username, &u.Name, &u.Email, &u.Role, &u.OrganizationID, &u.UPN, &u.SID)
			o.login.ReservedUntil = momentOf(until)
			return o, err
		}, "SELECT l."+column+`, l.reserved_until, u.id, u.username, u.name, u.email, u.role, u.organization_id, u.upn, u.sid
			FROM `+table+" AS l JOIN users AS u ON u.id = l.user_id"+w.String(), w.args...)
		if err != nil {
			return nil, asFault("names of accounts in "+table, err)
		}
		for _, o := range rows {
			if until := o.login.ReservedUntil; until == nil || until.After(now) {
				out[o.key] = o.login
			}
		}
	}
	return out, nil
}
