// Package password hashes and checks passwords with Argon2id (RFC 9106) in
// the parameters of the specification, "Authentication", and bounds the
// memory that concurrent work may take.
package password

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/secret"
)

// Parameters of Argon2id as the specification sets them.
const (
	memoryKiB = 64 * 1024
	passes    = 1
	threads   = 4
	keyBytes  = 32
	saltBytes = 16
)

// maxWait is how long a login waits for its turn before it is told to come
// back.
const maxWait = 5 * time.Second

// Hasher hashes with bounded concurrency: each slot takes 64 MiB.
type Hasher struct {
	slots chan struct{}
	dummy string
}

// NewHasher allows that many hashes at once.
func NewHasher(concurrent int) *Hasher {
	return &Hasher{
		slots: make(chan struct{}, max(1, concurrent)),
		dummy: encode(make([]byte, saltBytes), make([]byte, keyBytes)),
	}
}

func (h *Hasher) enter(ctx context.Context) error {
	timer := time.NewTimer(maxWait)
	defer timer.Stop()
	select {
	case h.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return fault.New(fault.Overloaded, "Too many people are signing in at this moment. Try again in a few seconds.").After(maxWait)
	}
}

// Hash returns the PHC string of a password with a fresh salt. Overloaded
// when no slot comes free in time.
func (h *Hasher) Hash(ctx context.Context, password secret.String) (string, error) {
	if err := h.enter(ctx); err != nil {
		return "", err
	}
	defer func() { <-h.slots }()
	salt := make([]byte, saltBytes)
	if _, err := rand.Read(salt); err != nil {
		return "", fmt.Errorf("password salt: %w", err)
	}
	return encode(salt, key(password, salt)), nil
}

// Verify tells whether the password belongs to the hash, in constant time.
// An empty hash, an account that has none, costs the same and never fits.
func (h *Hasher) Verify(ctx context.Context, hash string, password secret.String) (bool, error) {
	known := hash != ""
	if !known {
		hash = h.dummy
	}
	salt, want, err := decode(hash)
	if err != nil {
		return false, err
	}
	if err := h.enter(ctx); err != nil {
		return false, err
	}
	defer func() { <-h.slots }()
	got := key(password, salt)
	return subtle.ConstantTimeCompare(got, want) == 1 && known, nil
}

func key(password secret.String, salt []byte) []byte {
	return argon2.IDKey([]byte(password.Reveal()), salt, passes, memoryKiB, threads, keyBytes)
}

var prefix = fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$", argon2.Version, memoryKiB, passes, threads)

// encode writes the PHC string format.
func encode(salt, key []byte) string {
	b := base64.RawStdEncoding
	return prefix + b.EncodeToString(salt) + "$" + b.EncodeToString(key)
}

func decode(hash string) (salt, key []byte, err error) {
	rest, ok := strings.CutPrefix(hash, prefix)
	saltText, keyText, ok2 := strings.Cut(rest, "$")
	if !ok || !ok2 {
		return nil, nil, fmt.Errorf("password hash: not Argon2id with this server's parameters")
	}
	if salt, err = base64.RawStdEncoding.DecodeString(saltText); err != nil {
		return nil, nil, fmt.Errorf("password hash: salt is not base64")
	}
	if key, err = base64.RawStdEncoding.DecodeString(keyText); err != nil || len(key) != keyBytes {
		return nil, nil, fmt.Errorf("password hash: key is not %d bytes of base64", keyBytes)
	}
	return salt, key, nil
}

// Policy is what a password must be.
type Policy struct {
	MinLength int // characters
	MaxLength int // characters
}

// DefaultPolicy is the contract's: 8 to 128 characters.
func DefaultPolicy() Policy { return Policy{MinLength: 8, MaxLength: 128} }

// Check refuses a password that breaks the policy, or that is the username
// or email. The fault is PasswordPolicy and names the field.
func (p Policy) Check(field string, password secret.String, username, email string) error {
	text := password.Reveal()
	message := ""
	local, _, _ := strings.Cut(email, "@")
	switch n := utf8.RuneCountInString(text); {
	case !utf8.ValidString(text):
		message = "must be valid UTF-8"
	case n < p.MinLength || n > p.MaxLength:
		message = fmt.Sprintf("must have %d to %d characters", p.MinLength, p.MaxLength)
	case strings.EqualFold(text, username), strings.EqualFold(text, email), strings.EqualFold(text, local):
		message = "must not be the username or email"
	default:
		return nil
	}
	f := fault.New(fault.PasswordPolicy, "The new password "+message+".")
	f.Fields = []fault.Field{{Field: field, Message: message}}
	return f
}

// Random makes a password of 24 letters and digits, for a first sign-in.
func Random() (secret.String, error) {
	const alphabet = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789" // no look-alikes: 56
	var out strings.Builder
	for out.Len() < 24 {
		var b [1]byte
		if _, err := rand.Read(b[:]); err != nil {
			return secret.String{}, fmt.Errorf("random password: %w", err)
		}
		if int(b[0]) < 256/len(alphabet)*len(alphabet) {
			out.WriteByte(alphabet[int(b[0])%len(alphabet)])
		}
	}
	return secret.New(out.String()), nil
}
