package account

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/vault"
)

// Invitations makes the tokens of mailed invitations. Such a token is stored nowhere:
// each time the mail is sent, it is derived from a key that only the vault has and the
// mail's id. The database has its hash, as for every invitation.
type Invitations struct {
	Vault vault.KV
	Store interface {
		// Invited is as in Store.
		Invited(ctx context.Context, hash string) (User, time.Time, error)
	}
	Now func() time.Time
}

// InvitationKeyPath is the key's path in the vault.
const InvitationKeyPath = "_keyward/invitations"

// keyDocument is the vault's document.
type keyDocument struct {
	Key []byte `json:"key"`
}

// Token returns the token of the invitation in the mail with that id.
func (s *Invitations) Token(ctx context.Context, mailID string) (secret.String, error) {
	key, err := s.key(ctx)
	if err != nil {
		return secret.String{}, err
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("invitation|" + mailID))
	return secret.New(base64.RawURLEncoding.EncodeToString(mac.Sum(nil))), nil
}

// key reads the key, or generates it. Of concurrent callers, one generates it.
func (s *Invitations) key(ctx context.Context) ([]byte, error) {
	for {
		v, err := s.Vault.Get(ctx, InvitationKeyPath)
		if err == nil {
			var d keyDocument
			err = v.Data.Decode(&d)
			if err == nil && len(d.Key) != sha256.Size {
				err = errors.New("user: the key of invitations in the vault is none")
			}
			return d.Key, err
		}
		if !errors.Is(err, vault.ErrNotFound) {
			return nil, vault.Fault(err)
		}
		fresh := make([]byte, sha256.Size)
		_, _ = rand.Read(fresh) // never fails (crypto/rand)
		data, err := vault.Encode(keyDocument{fresh})
		if err != nil {
			return nil, err
		}
		if _, err := s.Vault.Put(ctx, InvitationKeyPath, data, 0); err != nil && !errors.Is(err, vault.ErrCAS) {
			return nil, vault.Fault(err)
		}
	}
}

// Open returns the token of the mail with that id while it is the account's open
// invitation; false when it was used, replaced or has expired.
func (s *Invitations) Open(ctx context.Context, mailID string, userID int64) (secret.String, bool, error) {
	token, err := s.Token(ctx, mailID)
	if err != nil {
		return secret.String{}, false, err
	}
	u, ends, err := s.Store.Invited(ctx, token.Hash())
	if fault.Is(err, fault.NotFound) {
		return secret.String{}, false, nil
	}
	if err != nil || u.ID != userID || !s.Now().Before(ends) {
		return secret.String{}, false, err
	}
	return token, true, nil
}
