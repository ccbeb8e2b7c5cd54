package session_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/session"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
)

// kept is a vault that holds one secret.
type kept struct {
	vault.KV
	secret []byte
}

func (k kept) Get(context.Context, string) (vault.Version, error) {
	data, err := vault.Encode(map[string][]byte{"secret": k.secret})
	return vault.Version{Data: data}, err
}

// TestVouch: a known answer, computed with Python's hmac from the doc comment
// of Vouch (HKDF without salt), and a different one for each bound value.
func TestVouch(t *testing.T) {
	t.Parallel()
	s := &session.Signer{Vault: kept{secret: []byte(strings.Repeat("k", 32))}}
	key := session.AgentKey{Fingerprint: "ab12", At: time.Unix(1_700_000_000, 5_000)}
	vouch := func(of *session.Signer, session, user int64, key session.AgentKey) string {
		return must.Get(of.Vouch(t.Context(), session, user, key))(t)
	}
	const want = "1700000000000005.811a759934ef5dd71ce83dcd4f5e5df32f626563ca1625c4fdb46ddc0ee142ad"
	if got := vouch(s, 12, 3, key); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	later, other := key, key
	later.At, other.Fingerprint = key.At.Add(time.Microsecond), "ab13"
	for what, got := range map[string]string{
		"another session": vouch(s, 13, 3, key), "another person": vouch(s, 12, 4, key), "moved by a digit": vouch(s, 1, 23, key),
		"another key": vouch(s, 12, 3, other), "another time": vouch(s, 12, 3, later),
		"another secret": vouch(&session.Signer{Vault: kept{secret: []byte(strings.Repeat("l", 32))}}, 12, 3, key),
	} {
		if strings.HasSuffix(got, want[len("1700000000000005"):]) {
			t.Errorf("%s makes no difference", what)
		}
	}
}
