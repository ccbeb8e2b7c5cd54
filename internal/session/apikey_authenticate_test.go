package session

import (
	"context"
	"encoding/base64"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/secret"
)

var now = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// shelf is the part of a Store that authentication uses. Package storetest
// tests the real one; this one shows which calls it gets.
type shelf struct {
	APIKeyStore
	mu       sync.Mutex
	key      APIKey
	standing APIKeyDependencies
	looked   int
	written  map[int64]time.Time
	writes   int
	err      error
}

func (s *shelf) KeyByHash(_ context.Context, hash string) (APIKey, APIKeyDependencies, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.looked++
	if hash != s.key.Hash {
		return APIKey{}, APIKeyDependencies{}, fault.New(fault.NotFound, "", "none")
	}
	return s.key, s.standing, nil
}

func (s *shelf) NoteKeyUses(_ context.Context, uses map[int64]time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return s.err
	}
	s.writes++
	for id, at := range uses {
		s.written[id] = at
		s.key.LastUsedAt = &at
	}
	return nil
}

var text = APIKeyPrefix + base64.RawURLEncoding.EncodeToString([]byte("0123456789abcdefghijklmnopqrstuv"))

func setupAPIKeys() (*APIKeys, *shelf, *time.Time) {
	one, clock := int64(1), now
	store := &shelf{
		key: APIKey{
			ID: 7, Name: "ci", Hash: secret.New(text).Hash(), Role: access.OrgManager, OrganizationID: &one, OrganizationName: "Acme",
			CreatedBy: 3, ExpiresAt: now.Add(time.Hour),
		},
		standing: APIKeyDependencies{CreatorActive: true, CreatorRole: access.OrgManager, CreatorOrganizationID: &one, OrganizationActive: true},
		written:  map[int64]time.Time{},
	}
	return &APIKeys{Store: store, Now: func() time.Time { return clock }}, store, &clock
}

func TestAuthenticate(t *testing.T) {
	t.Parallel()
	s, _, _ := setupAPIKeys()
	a, err := s.Authenticate(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	if a.UserID != 0 || a.SessionID != 0 || a.APIKeyID != 7 || a.Username != "api-key:ci" || a.Role != access.OrgManager ||
		*a.OrganizationID != 1 || !a.AuthenticatedAt.IsZero() {
		t.Errorf("actor %+v", a)
	}
}

// TestMalformed: a malformed key never reaches the database.
func TestMalformed(t *testing.T) {
	t.Parallel()
	s, store, _ := setupAPIKeys()
	for _, bearer := range []string{
		"", APIKeyPrefix, text[:len(text)-1], text + "A", text + "=", " " + text, text + " ", strings.ToUpper(text),
		"Keyward_" + text[len(APIKeyPrefix):],
		"keyward-" + text[len(APIKeyPrefix):], text[len(APIKeyPrefix):], APIKeyPrefix + strings.Repeat("+", keyChars),
		APIKeyPrefix + strings.Repeat("\n", keyChars),
		APIKeyPrefix + strings.Repeat("A", keyChars-1) + "B", // bits beyond the 256
		text[:20] + "\r\n" + text[22:],
	} {
		if _, err := s.Authenticate(t.Context(), bearer); !fault.Is(err, fault.TokenInvalid) {
			t.Errorf("%q: %v", bearer, err)
		}
	}
	if store.looked != 0 {
		t.Errorf("the database was asked %d times", store.looked)
	}
	other := APIKeyPrefix + base64.RawURLEncoding.EncodeToString(make([]byte, secret.RandomBytes))
	if _, err := s.Authenticate(t.Context(), other); !fault.Is(err, fault.TokenInvalid) || store.looked != 1 {
		t.Errorf("an unknown key: %v after %d look-ups", err, store.looked)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	one, two := int64(1), int64(2)
	for _, c := range []struct {
		name   string
		change func(*APIKey, *APIKeyDependencies)
		want   fault.Code
	}{
		{"as it should be", func(*APIKey, *APIKeyDependencies) {}, ""},
		{"the last moment", func(k *APIKey, _ *APIKeyDependencies) { k.ExpiresAt = now.Add(1) }, ""},
		{"expired", func(k *APIKey, _ *APIKeyDependencies) { k.ExpiresAt = now }, fault.TokenExpired},
		{"revoked", func(k *APIKey, _ *APIKeyDependencies) { k.RevokedAt = &now }, fault.TokenInvalid},
		{"revoked and expired", func(k *APIKey, _ *APIKeyDependencies) { k.RevokedAt, k.ExpiresAt = &now, now }, fault.TokenInvalid},
		{"expired and creator disabled", func(k *APIKey, s *APIKeyDependencies) {
			k.ExpiresAt, s.CreatorActive = now, false
		}, fault.TokenExpired},
		{"creator disabled", func(_ *APIKey, s *APIKeyDependencies) { s.CreatorActive = false }, fault.AccountDisabled},
		{"creator demoted", func(_ *APIKey, s *APIKeyDependencies) { s.CreatorRole = access.User }, fault.AccountDisabled},
		{"creator without a role", func(_ *APIKey, s *APIKeyDependencies) { s.CreatorRole = "" }, fault.AccountDisabled},
		{"creator moved", func(_ *APIKey, s *APIKeyDependencies) { s.CreatorOrganizationID = &two }, fault.AccountDisabled},
		{"creator moved out", func(_ *APIKey, s *APIKeyDependencies) { s.CreatorOrganizationID = nil }, fault.AccountDisabled},
		{"creator promoted", func(_ *APIKey, s *APIKeyDependencies) {
			s.CreatorRole, s.CreatorOrganizationID = access.GlobalAdmin, nil
		}, ""},
		{"organization disabled", func(_ *APIKey, s *APIKeyDependencies) { s.OrganizationActive = false }, fault.AccountDisabled},
		{"a manager's key of the role user", func(k *APIKey, _ *APIKeyDependencies) { k.Role = access.User }, ""},
		{"a manager's key of no organization", func(k *APIKey, _ *APIKeyDependencies) {
			k.Role, k.OrganizationID = access.User, nil
		}, fault.AccountDisabled},
		{"a global admin's key, then demoted", func(k *APIKey,
			_ *APIKeyDependencies) {
			k.Role, k.OrganizationID = access.GlobalAdmin, nil
		}, fault.AccountDisabled},
		{"a global admin's key", func(k *APIKey, s *APIKeyDependencies) {
			k.Role, k.OrganizationID, s.CreatorRole, s.CreatorOrganizationID = access.GlobalAdmin, nil, access.GlobalAdmin, nil
		}, ""},
		{"a role that does not exist", func(k *APIKey, s *APIKeyDependencies) {
			k.Role, s.CreatorRole = "root", access.GlobalAdmin
		}, fault.AccountDisabled},
	} {
		s, store, _ := setupAPIKeys()
		store.standing.CreatorOrganizationID = &one
		c.change(&store.key, &store.standing)
		_, err := s.Authenticate(t.Context(), text)
		if code := fault.CodeOf(err); code != c.want {
			t.Errorf("%s: %q, want %q", c.name, code, c.want)
		}
		if err != nil && (strings.Contains(err.Error(), text[len(APIKeyPrefix):]) || len(s.uses.take()) > 0) {
			t.Errorf("%s: the error shows the key, or the use was noted: %v", c.name, err)
		}
	}
}

// TestUses: at most one write a minute, none by the request itself.
func TestUses(t *testing.T) {
	t.Parallel()
	s, store, clock := setupAPIKeys()
	use := func() {
		if _, err := s.Authenticate(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	for range 10 {
		use()
	}
	if store.writes != 0 {
		t.Fatal("a request wrote")
	}
	store.err = errors.New("locked")
	if err := s.FlushUses(t.Context()); err == nil {
		t.Error("a failed write is passed over")
	}
	store.err = nil
	for i := range 13 { // two minutes
		use()
		if err := s.FlushUses(t.Context()); err != nil {
			t.Fatal(err)
		}
		if i == 0 && !store.written[7].Equal(now) {
			t.Errorf("after a failed write: %v", store.written)
		}
		*clock = clock.Add(FlushAPIKeyUsesEvery)
	}
	if store.writes != 3 || !store.written[7].Equal(now.Add(2*time.Minute)) {
		t.Errorf("%d writes in two minutes, the last of %v", store.writes, store.written[7])
	}
}

func TestUsesAreBounded(t *testing.T) {
	t.Parallel()
	u := uses{}
	for id := range int64(2 * maxUses) {
		u.note(APIKey{ID: id + 1}, now)
	}
	if n := len(u.take()); n != maxUses {
		t.Errorf("%d wait", n)
	}
}

func FuzzWellFormed(f *testing.F) {
	for _, s := range []string{text, APIKeyPrefix, "", text[:len(text)-1] + "_", strings.Repeat("x", 100)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, bearer string) {
		if !wellFormed(bearer) {
			return
		}
		raw, err := base64.RawURLEncoding.DecodeString(bearer[len(APIKeyPrefix):])
		if err != nil || APIKeyPrefix+base64.RawURLEncoding.EncodeToString(raw) != bearer {
			t.Errorf("%q is taken, and is not what a key looks like", bearer)
		}
	})
}
