package session

import (
	"context"

	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/secret"
)

// rehash replaces a correct password's hash with one of the current parameters.
// It must not hold up the sign-in: without room to hash now, or when the
// account's password has changed, the next sign-in is early enough.
func (s *Service) rehash(ctx context.Context, c Client, u account.User, pw secret.String) {
	hash, err := s.Hasher.Hash(ctx, pw)
	if err == nil {
		entry := audit.By(actorOf(u, c), audit.PasswordRehashed, "user", audit.ID(u.ID), "Argon2id parameters of today")
		err = s.Users.ReplaceHash(ctx, u.ID, u.PasswordHash, hash, entry)
	}
	if err != nil && ctx.Err() == nil && !fault.Is(err, fault.Overloaded) && !fault.Is(err, fault.Conflict) {
		s.Log.WarnContext(ctx, "could not rehash a password; its account keeps the old hash", "user_id", u.ID, "error", err)
	}
}
