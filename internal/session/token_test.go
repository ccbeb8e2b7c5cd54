package session

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"hash"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded"
	"github.com/keyward/keyward/test/must"
)

// fixture is a signer on a real embedded vault, with a secret that the test knows.
type fixture struct {
	signer *Signer
	secret []byte
	now    time.Time
}

func setup(t testing.TB) *fixture {
	t.Helper()
	dir := t.TempDir()
	v := must.Get(embedded.Open(context.Background(), embedded.Options{
		Path: filepath.Join(dir, "vault.db"), Seal: embedded.FileSeal(filepath.Join(dir, "seal.key")),
		PublicBase: "http://localhost", CAKeyType: piv.ECP256, Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
	}))(t)
	t.Cleanup(func() { _ = v.Close() })
	f := &fixture{now: t0}
	f.signer = &Signer{Vault: v, Now: func() time.Time { return f.now }}
	k := must.Get(f.signer.key(context.Background()))(t)
	f.secret = k.secret
	return f
}

func segment(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return base64.RawURLEncoding.EncodeToString(raw)
}

// forge makes a JWS by hand, without the code under test.
func forge(header map[string]any, claims any, newHash func() hash.Hash, key []byte) string {
	signed := segment(header) + "." + segment(claims)
	mac := hmac.New(newHash, key)
	mac.Write([]byte(signed))
	return signed + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func (f *fixture) claims(changes map[string]any) map[string]any {
	c := map[string]any{
		"user_id": 7, "username": "jdoe", "is_admin": false, "role": "user", "organization_id": nil, "organization_name": "",
		"session_id": 9, "machine_id": "", "device_id": "", "ip_address": "127.0.0.1",
		"exp": f.now.Add(time.Minute).Unix(), "iat": f.now.Unix(), "iss": "keyward", "sub": "7", "jti": "x",
	}
	for k, v := range changes {
		if v == "absent" {
			delete(c, k)
		} else {
			c[k] = v
		}
	}
	return c
}

// TestAttacks is the table of forged access tokens.
func TestAttacks(t *testing.T) {
	t.Parallel()
	f := setup(t)
	hs := map[string]any{"alg": "HS256", "typ": "JWT"}
	good := forge(hs, f.claims(nil), sha256.New, f.secret)
	if _, err := f.signer.Read(context.Background(), good); err != nil {
		t.Fatalf("a good token is refused: %v", err)
	}
	parts := strings.Split(good, ".")
	cases := map[string]string{
		"alg none, no signature":  segment(map[string]any{"alg": "none"}) + "." + parts[1] + ".",
		"alg none, old signature": segment(map[string]any{"alg": "none"}) + "." + parts[1] + "." + parts[2],
		"alg HS512":               forge(map[string]any{"alg": "HS512"}, f.claims(nil), sha512.New, f.secret),
		"alg RS256 with an HMAC":  forge(map[string]any{"alg": "RS256"}, f.claims(nil), sha256.New, f.secret),
		"another secret":          forge(hs, f.claims(nil), sha256.New, []byte("another secret of 32 bytes......")),
		"claims exchanged":        parts[0] + "." + segment(f.claims(map[string]any{"user_id": 1, "sub": "1"})) + "." + parts[2],
		"signature cut":           parts[0] + "." + parts[1] + "." + parts[2][:20],
		"no signature":            parts[0] + "." + parts[1],
		"five parts":              good + ".x.y",
		"not base64":              "a.b.c",
		"empty parts":             "..",
		"too long":                strings.Repeat("a", 9000),
		"another issuer":          forge(hs, f.claims(map[string]any{"iss": "else"}), sha256.New, f.secret),
		"no issuer":               forge(hs, f.claims(map[string]any{"iss": "absent"}), sha256.New, f.secret),
		"no expiry":               forge(hs, f.claims(map[string]any{"exp": "absent"}), sha256.New, f.secret),
		"expiry as a text":        forge(hs, f.claims(map[string]any{"exp": "9999999999"}), sha256.New, f.secret),
		"no issue time":           forge(hs, f.claims(map[string]any{"iat": "absent"}), sha256.New, f.secret),
		"issued in the future": forge(hs,
			f.claims(map[string]any{"iat": f.now.Add(time.Hour).Unix(), "exp": f.now.Add(2 * time.Hour).Unix()}), sha256.New, f.secret),
		"no user":                   forge(hs, f.claims(map[string]any{"user_id": "absent"}), sha256.New, f.secret),
		"no session":                forge(hs, f.claims(map[string]any{"session_id": "absent"}), sha256.New, f.secret),
		"subject of another user":   forge(hs, f.claims(map[string]any{"sub": "8"}), sha256.New, f.secret),
		"no token id":               forge(hs, f.claims(map[string]any{"jti": "absent"}), sha256.New, f.secret),
		"critical header":           forge(map[string]any{"alg": "HS256", "crit": []string{"x"}, "x": 1}, f.claims(nil), sha256.New, f.secret),
		"claims that are no object": forge(hs, []int{1}, sha256.New, f.secret),
	}
	for name, token := range cases {
		if _, err := f.signer.Read(context.Background(), token); !fault.Is(err, fault.TokenInvalid) {
			t.Errorf("%s: %v, want token_invalid", name, err)
		}
	}
	expired := forge(hs, f.claims(map[string]any{"iat": f.now.Add(-time.Hour).Unix(), "exp": f.now.Unix()}), sha256.New, f.secret)
	if _, err := f.signer.Read(context.Background(), expired); !fault.Is(err, fault.TokenExpired) {
		t.Errorf("expired: %v, want token_expired", err)
	}
}

func TestIssuedClaims(t *testing.T) {
	t.Parallel()
	f := setup(t)
	org := int64(4)
	u := account.User{ID: 7, Username: "jdoe", Role: "org_manager", OrganizationID: &org, OrganizationName: "Acme"}
	sess := Session{ID: 9, MachineID: "m", UserAgent: "ua", IPAddress: "192.0.2.1", ExpiresAt: t0.Add(10 * time.Minute)}
	token, lasts := must.Both(f.signer.Issue(context.Background(), u, sess, 30*time.Minute))(t)
	if lasts != 30*time.Minute {
		t.Errorf("lasts %v, want 30 minutes, though the session ends before", lasts)
	}
	raw := must.Get(base64.RawURLEncoding.DecodeString(strings.Split(token.Reveal(), ".")[1]))(t)
	var got map[string]any
	must.OK(t, json.Unmarshal(raw, &got))
	// printf '7\nm\nua' | sha256sum
	want := map[string]any{
		"user_id": 7.0, "username": "jdoe", "is_admin": false, "role": "org_manager", "organization_id": 4.0, "organization_name": "Acme",
		"session_id": 9.0, "machine_id": "m", "device_id": "70e76d96300cbb10e6bbd9a3be27e6c38de4adac4238e6df49bfe6e0b0a3cd41",
		"ip_address": "192.0.2.1", "iss": "keyward", "sub": "7",
		"iat": float64(t0.Unix()), "exp": float64(t0.Add(30 * time.Minute).Unix()),
	}
	for k, v := range want {
		if got[k] != v {
			t.Errorf("claim %s: %v, want %v", k, got[k], v)
		}
	}
	if len(got) != len(want)+1 || got["jti"] == "" {
		t.Errorf("claims: %v", got)
	}
}

func FuzzRead(f *testing.F) {
	fx := setup(f)
	f.Add("a.b.c")
	f.Add(forge(map[string]any{"alg": "HS256"}, fx.claims(nil), sha256.New, []byte("x")))
	f.Add(segment(map[string]any{"alg": "none"}) + ".e30.")
	f.Fuzz(func(t *testing.T, token string) {
		_, err := fx.signer.Read(context.Background(), token)
		if code := fault.CodeOf(err); code != fault.TokenInvalid && code != fault.TokenExpired {
			t.Errorf("%q: %v; only the holder of the secret makes a token that is read", token, err)
		}
	})
}

// TestNotReady: no secret is read from, or generated in, a vault that is not ready.
func TestNotReady(t *testing.T) {
	t.Parallel()
	f := setup(t)
	must.OK(t, f.signer.Vault.DestroyPath(t.Context(), signingSecretPath))
	stranger := errors.New("a stranger's")
	s := &Signer{Vault: f.signer.Vault, Now: f.signer.Now, Ready: func(context.Context) error { return stranger }}
	_, read := s.Read(t.Context(), "a.b.c")
	_, _, issued := s.Issue(t.Context(), account.User{ID: 1}, Session{ID: 1, ExpiresAt: t0.Add(time.Hour)}, time.Minute)
	for what, err := range map[string]error{"load": s.Load(t.Context()), "read": read, "issue": issued} {
		if !errors.Is(err, stranger) || s.Loaded() {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := s.Vault.Get(t.Context(), signingSecretPath); !errors.Is(err, vault.ErrNotFound) {
		t.Errorf("a secret was made: %v", err)
	}
	s.Ready = func(context.Context) error { return nil }
	must.OK(t, s.Load(t.Context()))
}
