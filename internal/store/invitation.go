package store

import (
	"context"
	"time"

	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/store/sqlcgen"
)

var noInvitation = fault.New(fault.NotFound, "no_invitation", "There is no such invitation.")

// Invited implements account.UserStore.
func (db *DB) Invited(ctx context.Context, hash string) (account.User, time.Time, error) {
	row, err := db.q().InvitationByHash(ctx, hash)
	if none(err) {
		return account.User{}, time.Time{}, noInvitation
	}
	if err != nil {
		return account.User{}, time.Time{}, asFault("invited", err)
	}
	u, err := db.owner(ctx, "invited", row.UserID, nil)
	return u, moment(row.ExpiresAt), err
}

// TakeInvitation implements account.UserStore.
func (db *DB) TakeInvitation(ctx context.Context, hash, passwordHash string, at time.Time, entries ...audit.Entry) error {
	return db.write(ctx, "take invitation", func(ctx context.Context, t *tx) error {
		userID, err := t.q.UseInvitation(ctx, sqlcgen.UseInvitationParams{TokenHash: hash, At: micros(at)})
		if none(err) {
			return noInvitation
		}
		if err != nil {
			return err
		}
		n, err := t.q.SetFirstPassword(ctx, sqlcgen.SetFirstPasswordParams{PasswordHash: passwordHash, At: micros(at), ID: userID})
		if err != nil {
			return err
		}
		if n == 0 {
			return noInvitation
		}
		return t.audit(ctx, entries...)
	})
}
