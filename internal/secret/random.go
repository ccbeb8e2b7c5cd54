package secret

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
)

// RandomBytes is the number of bytes in a token of Random.
const RandomBytes = 32

// Random returns a bearer token: 256 random bits in base64url without padding
// (RFC 4648, section 5), 43 characters.
func Random() (String, error) {
	var b [RandomBytes]byte
	if _, err := rand.Read(b[:]); err != nil {
		return String{}, fmt.Errorf("random secret: %w", err)
	}
	return New(base64.RawURLEncoding.EncodeToString(b[:])), nil
}

// Hash returns the hex SHA-256 by which a bearer token is stored and found. A
// plain hash is enough: 256 random bits cannot be guessed, and the timing of a
// lookup by hash reveals nothing about other tokens.
func (s String) Hash() string {
	sum := sha256.Sum256([]byte(s.value))
	return hex.EncodeToString(sum[:])
}
