package store

import (
	"context"

	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/store/sqlcgen"
)

// UserByIdentity implements signon.Store.
func (db *DB) UserByIdentity(ctx context.Context, issuer, subject string) (account.User, error) {
	id, err := db.q().IdentityOwner(ctx, sqlcgen.IdentityOwnerParams{Issuer: issuer, Subject: subject})
	return db.owner(ctx, "user by identity", id, err)
}

// InsertIdentity implements signon.Store.
func (db *DB) InsertIdentity(
	ctx context.Context, issuer, subject string, u account.User, usernames []string, entry audit.Entry,
) (account.User, error) {
	var stored account.User
	err := db.writeInTurn(ctx, "insert identity", (*sqlcgen.Queries).LockAccounts, func(ctx context.Context, t *tx) error {
		known, err := t.q.IdentityExists(ctx, sqlcgen.IdentityExistsParams{Issuer: issuer, Subject: subject})
		if err != nil {
			return err
		}
		if known > 0 {
			return fault.New(fault.Conflict, "identity_exists", "This identity already has an account.")
		}
		if u.Username, err = t.freeUsername(ctx, u.Email, usernames); err != nil {
			return err
		}
		if stored, err = t.addUser(ctx, u, entry); err != nil {
			return err
		}
		return t.q.InsertIdentity(ctx, sqlcgen.InsertIdentityParams{
			Issuer: issuer, Subject: subject, UserID: stored.ID, CreatedAt: micros(u.CreatedAt)})
	})
	if err != nil {
		return account.User{}, err
	}
	return stored, nil
}

// freeUsername returns the first of the names that is free, if the email is.
func (t *tx) freeUsername(ctx context.Context, email string, usernames []string) (string, error) {
	taken := func(login string) (bool, error) {
		n, err := t.q.LoginTaken(ctx, sqlcgen.LoginTakenParams{LoginKey: fold(login), Now: pointerTo(micros(t.now()))})
		return n > 0, err
	}
	if is, err := taken(email); err != nil || is {
		if err == nil {
			err = emailTaken
		}
		return "", err
	}
	for _, name := range usernames {
		is, err := taken(name)
		if err != nil {
			return "", err
		}
		if !is {
			return name, nil
		}
	}
	return "", usernameTaken
}
