package secret

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
)

// RandomBytes is the size of what Random makes.
const RandomBytes = 32

// Random makes a bearer token: 256 random bits in base64url without padding
// (RFC 4648, section 5), 43 characters.
func Random() (String, error) {
	var b [RandomBytes]byte
	if _, err := rand.Read(b[:]); err != nil {
		return String{}, fmt.Errorf("random secret: %w", err)
	}
	return New(base64.RawURLEncoding.EncodeToString(b[:])), nil
}

// Hash is the hex SHA-256 under which a bearer token is stored and found. A
// plain hash is enough: nobody guesses 256 random bits, and finding one by its
// hash tells a clock nothing about any other.
func (s String) Hash() string {
	sum := sha256.Sum256([]byte(s.value))
	return hex.EncodeToString(sum[:])
}
