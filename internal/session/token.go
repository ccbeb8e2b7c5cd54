package session

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/settings"
	"github.com/keyward/keyward/internal/vault"
)

// Issuer is the iss claim of every access token.
const Issuer = "keyward"

// signingSecretPath is the JWT signing secret's path in the vault. The
// underscore keeps it apart from token serials.
const signingSecretPath = "_keyward/jwt"

// Claims of an access token (specification, "Access token"). Only UserID and
// SessionID decide anything; role, organization and activity come from the
// database.
type Claims struct {
	UserID           int64       `json:"user_id"`
	Username         string      `json:"username"`
	IsAdmin          bool        `json:"is_admin"`
	Role             access.Role `json:"role"`
	OrganizationID   *int64      `json:"organization_id"`
	OrganizationName string      `json:"organization_name"`
	SessionID        int64       `json:"session_id"`
	MachineID        string      `json:"machine_id"`
	DeviceID         string      `json:"device_id"`
	IPAddress        string      `json:"ip_address"`
	ExpiresAt        int64       `json:"exp"`
	IssuedAt         int64       `json:"iat"`
	Issuer           string      `json:"iss"`
	Subject          string      `json:"sub"`
	ID               string      `json:"jti"`
}

// Signer makes and reads access tokens (JWS compact, HS256 only) and vouches
// for agents' keys. Its secret is generated once and kept in the vault. Until
// it is loaded, no token can be made or read; afterwards neither needs the
// vault.
type Signer struct {
	Vault vault.KV
	Now   func() time.Time
	// Ready, when not nil, runs before the secret is loaded or generated; its
	// error is returned, and the vault is not touched.
	Ready func(ctx context.Context) error

	loaded atomic.Pointer[signingKey]
}

type signingKey struct {
	requested string // see signingSecret
	secret    []byte
	signer    jose.Signer
	header    string // of every token that signer makes, with the trailing dot

	registrations []byte // the key of Signer.Vouch
}

// verify checks a compact JWS (RFC 7515, section 5.2) and returns its payload.
// It accepts only the header that signer writes, byte for byte: no token
// influences how it is checked, and nothing of it is parsed before its
// signature verifies.
func (k *signingKey) verify(token string) (payload []byte, ok bool) {
	rest, ok := strings.CutPrefix(token, k.header)
	if !ok {
		return nil, false
	}
	encoded, signature, ok := strings.Cut(rest, ".")
	if !ok {
		return nil, false
	}
	got, err := base64.RawURLEncoding.Strict().DecodeString(signature)
	if err != nil {
		return nil, false
	}
	mac := hmac.New(sha256.New, k.secret)
	mac.Write([]byte(token[:len(k.header)+len(encoded)]))
	if !hmac.Equal(got, mac.Sum(nil)) {
		return nil, false
	}
	payload, err = base64.RawURLEncoding.Strict().DecodeString(encoded)
	return payload, err == nil
}

// Load loads the secret from the vault, unless it is loaded.
func (s *Signer) Load(ctx context.Context) error {
	_, err := s.key(ctx)
	return err
}

// Loaded reports whether tokens can be made and read.
func (s *Signer) Loaded() bool { return s.loaded.Load() != nil }

func (s *Signer) key(ctx context.Context) (*signingKey, error) {
	if k := s.loaded.Load(); k != nil {
		return k, nil
	}
	return s.load(ctx)
}

// Reload reads the secret from the vault again.
func (s *Signer) Reload(ctx context.Context) error {
	_, err := s.load(ctx)
	return err
}

func (s *Signer) load(ctx context.Context) (*signingKey, error) {
	if s.Ready != nil {
		if err := s.Ready(ctx); err != nil {
			return nil, err
		}
	}
	document, err := s.fetch(ctx)
	if err != nil {
		return nil, err
	}
	raw := document.Secret
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.HS256, Key: raw}, (&jose.SignerOptions{}).WithType("JWT"))
	if err != nil {
		return nil, fmt.Errorf("access token signer: %w", err)
	}
	sample, err := signer.Sign(nil)
	if err != nil {
		return nil, fmt.Errorf("access token signer: %w", err)
	}
	text, err := sample.CompactSerialize()
	if err != nil {
		return nil, fmt.Errorf("access token signer: %w", err)
	}
	header, _, _ := strings.Cut(text, ".")
	registrations, err := registrationKey(raw)
	if err != nil {
		return nil, fmt.Errorf("key of the agents' registrations: %w", err)
	}
	k := &signingKey{document.Requested, raw, signer, header + ".", registrations}
	s.loaded.Store(k)
	return k, nil
}

// signingSecret is the document in the vault.
type signingSecret struct {
	Secret    []byte `json:"secret"`              // in base64
	Requested string `json:"requested,omitempty"` // by whose request it was made; see Follow
}

// fetch reads the secret, or generates it. Of two servers that start at once,
// one wins the check-and-set; both use the stored secret.
func (s *Signer) fetch(ctx context.Context) (document signingSecret, err error) {
	for range 2 {
		v, err := s.Vault.Get(ctx, signingSecretPath)
		if err == nil {
			if v.Data.Decode(&document) != nil || len(document.Secret) < 32 {
				return document, errors.New("the JWT signing secret in the vault is not of its form")
			}
			return document, nil
		}
		if !errors.Is(err, vault.ErrNotFound) {
			return document, vault.Fault(err)
		}
		if err := s.put(ctx, 0, ""); err != nil && !errors.Is(err, vault.ErrCAS) {
			return document, vault.Fault(err)
		}
	}
	return document, errors.New("the JWT signing secret was deleted from the vault: undelete it, or destroy the path to get a new one")
}

// Renew writes a new secret to the vault. A server that has loaded it (Reload)
// rejects tokens of the previous one.
func (s *Signer) Renew(ctx context.Context) error {
	requested := ""
	if k := s.loaded.Load(); k != nil {
		requested = k.requested // what was requested before is done with it
	}
	for {
		version := 0
		switch m, err := s.Vault.Metadata(ctx, signingSecretPath); {
		case err == nil:
			version = m.CurrentVersion
		case !errors.Is(err, vault.ErrNotFound):
			return vault.Fault(err)
		}
		if err := s.put(ctx, version, requested); !errors.Is(err, vault.ErrCAS) {
			return vault.Fault(err)
		}
	}
}

// renewalSetting is the row by which RequestRenewal asks all servers.
const renewalSetting = "access_token_renewal"

// RequestRenewal has all servers renew the secret: within seconds, or once they reach the vault. All
// access tokens are then void, and agents register again; refresh tokens stay.
func RequestRenewal(ctx context.Context, store settings.Store, now time.Time, entry audit.Entry) error {
	return store.PutSetting(ctx, renewalSetting, settings.Value{Text: strconv.Quote(rand.Text()), UpdatedAt: now}, entry)
}

// Follow renews the secret if that was requested and no server has done so, and loads what another
// has made.
func (s *Signer) Follow(ctx context.Context, store settings.Store) error {
	k := s.loaded.Load()
	if k == nil {
		return nil // it is about to be loaded for the first time
	}
	request, err := store.Setting(ctx, renewalSetting)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil || request.Text == k.requested {
		return err
	}
	v, err := s.Vault.Get(ctx, signingSecretPath)
	if err != nil {
		return vault.Fault(err)
	}
	var document signingSecret
	if err := v.Data.Decode(&document); err != nil || document.Requested != request.Text {
		if err := s.put(ctx, v.Number, request.Text); err != nil && !errors.Is(err, vault.ErrCAS) {
			return vault.Fault(err)
		}
	}
	return s.Reload(ctx)
}

// put writes a new secret over that version.
func (s *Signer) put(ctx context.Context, version int, requested string) error {
	document := signingSecret{make([]byte, 32), requested}
	if _, err := rand.Read(document.Secret); err != nil {
		return fmt.Errorf("JWT signing secret: %w", err)
	}
	data, err := vault.Encode(document)
	if err != nil {
		return err
	}
	_, err = s.Vault.Put(ctx, signingSecretPath, data, version)
	return err
}

// Issue makes an access token for a live session. It lasts for lifetime, even
// past the session's end, when check 2 refuses it. It returns the token and its
// lifetime in whole seconds.
func (s *Signer) Issue(ctx context.Context, u account.User, sess Session, lifetime time.Duration) (secret.String, time.Duration, error) {
	k, err := s.key(ctx)
	if err != nil {
		return secret.String{}, 0, err
	}
	now := s.Now()
	expires := now.Add(lifetime)
	claims := Claims{
		UserID: u.ID, Username: u.Username, IsAdmin: u.Role == access.GlobalAdmin, Role: u.Role,
		OrganizationID: u.OrganizationID, OrganizationName: u.OrganizationName, SessionID: sess.ID,
		MachineID: sess.MachineID, DeviceID: DeviceID(u.ID, sess.MachineID, sess.UserAgent), IPAddress: sess.IPAddress,
		ExpiresAt: expires.Unix(), IssuedAt: now.Unix(), Issuer: Issuer, Subject: strconv.FormatInt(u.ID, 10), ID: rand.Text(),
	}
	payload, err := json.Marshal(claims)
	if err != nil {
		return secret.String{}, 0, fmt.Errorf("access token: %w", err)
	}
	signed, err := k.signer.Sign(payload)
	if err != nil {
		return secret.String{}, 0, fmt.Errorf("access token: %w", err)
	}
	text, err := signed.CompactSerialize()
	if err != nil {
		return secret.String{}, 0, fmt.Errorf("access token: %w", err)
	}
	return secret.New(text), expires.Sub(now).Truncate(time.Second), nil
}

// maxToken bounds what is parsed. Our own tokens have about 700 bytes.
const maxToken = 8192

// Read is check 1 of 5: signature, then expiry. TokenInvalid or TokenExpired.
func (s *Signer) Read(ctx context.Context, token string) (Claims, error) {
	k, err := s.key(ctx)
	if err != nil {
		return Claims{}, err
	}
	invalid := fault.New(fault.TokenInvalid, "access_token", "The access token is not valid. Sign in again.")
	if len(token) > maxToken {
		return Claims{}, invalid
	}
	payload, ok := k.verify(token)
	if !ok {
		return Claims{}, invalid
	}
	var c Claims
	if err := json.Unmarshal(payload, &c); err != nil {
		return Claims{}, invalid
	}
	if c.Issuer != Issuer || c.UserID <= 0 || c.SessionID <= 0 || c.ID == "" || c.ExpiresAt <= 0 || c.IssuedAt <= 0 ||
		c.Subject != strconv.FormatInt(c.UserID, 10) {
		return Claims{}, invalid
	}
	now := s.Now()
	if now.Unix() >= c.ExpiresAt {
		return Claims{}, fault.New(fault.TokenExpired, "access_token_expired", "The access token has expired. Refresh it or sign in again.")
	}
	if time.Unix(c.IssuedAt, 0).After(now.Add(ClockSkew)) {
		return Claims{}, invalid
	}
	return c, nil
}

// ClockSkew is how far the clocks of two replicas may differ.
const ClockSkew = time.Minute

// DeviceID binds an access token to a browser: hex SHA-256 of user id,
// machine id and user agent, joined by newlines (contract, "Authentication
// and sessions").
func DeviceID(userID int64, machineID, userAgent string) string {
	sum := sha256.Sum256([]byte(strconv.FormatInt(userID, 10) + "\n" + machineID + "\n" + userAgent))
	return hex.EncodeToString(sum[:])
}
