package app_test

import (
	"context"
	"crypto"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded"
)

// forger makes access tokens by hand with the server's own secret, which it planted in
// the vault before the first start.
type forger struct{ secret []byte }

func plantSecret(t *testing.T, data string) forger {
	t.Helper()
	ownVault.Store(data, true)
	v, err := embedded.Open(context.Background(), embedded.Options{
		Path: filepath.Join(data, "vault.db"), Seal: embedded.FileSeal(filepath.Join(data, "seal.key")),
		PublicBase: "http://localhost", CAKeyType: piv.ECP256, Role: vault.DefaultRole(), Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	f := forger{secret: []byte("a secret of the test, 32 bytes at least")}
	doc := vault.Data(`{"secret":"` + base64.StdEncoding.EncodeToString(f.secret) + `"}`)
	if _, err := v.Put(context.Background(), "_keyward/jwt", doc, 0); err != nil {
		t.Fatal(err)
	}
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	return f
}

func part(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return base64.RawURLEncoding.EncodeToString(raw)
}

func hs256(header, claims any, key []byte) string {
	signed := part(header) + "." + part(claims)
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(signed))
	return signed + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func rs256(t *testing.T, claims any, key *rsa.PrivateKey) string {
	t.Helper()
	signed := part(map[string]any{"alg": "RS256", "typ": "JWT"}) + "." + part(claims)
	sum := sha256.Sum256([]byte(signed))
	sig, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	if err != nil {
		t.Fatal(err)
	}
	return signed + "." + base64.RawURLEncoding.EncodeToString(sig)
}

// TestForgedTokens: the wired server refuses each with the contract's status, for an
// operation that reads and one that writes. Package session has the whole table.
func TestForgedTokens(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	f := plantSecret(t, data)
	s := start(t, testConfig(t, data))
	admin, session := s.login("admin", adminPassword)
	id := s.must(200, "GET", "/api/auth/me", admin, nil)["id"].(float64)
	typ := map[string]any{"alg": "HS256", "typ": "JWT"}
	now := time.Now().Unix()
	claims := func(change map[string]any) map[string]any {
		c := map[string]any{
			"user_id": id, "username": "admin", "is_admin": true, "role": "global_admin", "organization_id": nil, "organization_name": "",
			"session_id": session, "machine_id": "", "device_id": "", "ip_address": "127.0.0.1",
			"exp": now + 600, "iat": now, "iss": "keyward", "sub": fmt.Sprint(int64(id)), "jti": "forged",
		}
		maps.Copy(c, change)
		return c
	}
	good := hs256(typ, claims(nil), f.secret)
	s.must(200, "GET", "/api/auth/me", good, nil) // the forger's tools work
	segments := strings.Split(good, ".")
	attacks := map[string]struct {
		token  string
		status int
		code   string
	}{
		"none":           {part(map[string]any{"alg": "none", "typ": "JWT"}) + "." + segments[1] + ".", 401, "token_invalid"},
		"RS256":          {rs256(t, claims(nil), subjectKey), 401, "token_invalid"},
		"another secret": {hs256(typ, claims(nil), []byte("not the secret of this installation")), 401, "token_invalid"},
		"expired":        {hs256(typ, claims(map[string]any{"exp": now - 1, "iat": now - 600}), f.secret), 401, "token_expired"},
		"another user's id": {hs256(typ, claims(map[string]any{"user_id": id + 1, "sub": fmt.Sprint(int64(id) + 1)}),
			f.secret), 401, "session_not_found"},
		"an unknown session": {hs256(typ, claims(map[string]any{"session_id": 999999}), f.secret), 401, "session_not_found"},
	}
	for name, a := range attacks {
		for _, op := range []struct {
			method, path string
			body         any
		}{{"GET", "/api/auth/me", nil}, {"POST", "/api/admin/organizations", map[string]any{"name": name}}} {
			if status, out := s.call(op.method, op.path, a.token, op.body); status != a.status || out["code"] != a.code {
				t.Errorf("%s: %s %s: %d %v, want %d %s", name, op.method, op.path, status, out["code"], a.status, a.code)
			}
		}
	}
	if n := len(s.must(200, "GET", "/api/admin/organizations", admin, nil)["items"].([]any)); n != 0 {
		t.Errorf("%d organizations were made with forged tokens", n)
	}
}

// TestClaimsDecideNothing: a token that is valid except for its role and organization
// claims gets what the database says.
func TestClaimsDecideNothing(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	f := plantSecret(t, data)
	s := start(t, testConfig(t, data))
	admin, _ := s.login("admin", adminPassword)
	id := s.must(201, "POST", "/api/admin/users", admin,
		map[string]any{"username": "mallory", "email": "m@example.org", "password": usual})["id"]
	_, session := s.login("mallory", usual)
	now := time.Now().Unix()
	token := hs256(map[string]any{"alg": "HS256", "typ": "JWT"}, map[string]any{
		"user_id": id, "username": "admin", "is_admin": true, "role": "global_admin", "organization_id": 1, "session_id": session,
		"exp": now + 600, "iat": now, "iss": "keyward", "sub": fmt.Sprint(id), "jti": "x",
	}, f.secret)
	if out := s.must(200, "GET", "/api/auth/me", token, nil); out["role"] != "user" || out["username"] != "mallory" {
		t.Errorf("the claims decide: %v", out)
	}
	s.must(403, "GET", "/api/admin/users", token, nil)
}

// TestDeadTokens: a valid token of an ended session, and of a disabled account.
func TestDeadTokens(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	token := w.tokens["b-user"]
	w.must(200, "POST", "/api/auth/logout", token, nil)
	w.must(200, "PATCH", w.userPath("a-user"), w.tokens["admin"], map[string]any{"is_active": false})
	for name, token := range map[string]string{"logged out": token, "disabled": w.tokens["a-user"]} {
		if out := w.must(401, "GET", "/api/auth/me", token, nil); out["code"] != "session_not_found" {
			t.Errorf("%s: %v", name, out["code"])
		}
	}
}
