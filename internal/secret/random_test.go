package secret_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"testing"

	"github.com/keyward/keyward/internal/secret"
)

// TestRandom: no two are equal, and each is 32 bytes in base64url, stored under its SHA-256.
func TestRandom(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 100 {
		s, err := secret.Random()
		if err != nil {
			t.Fatal(err)
		}
		raw, err := base64.RawURLEncoding.Strict().DecodeString(s.Reveal())
		sum := sha256.Sum256([]byte(s.Reveal()))
		if err != nil || len(raw) != 32 || seen[s.Reveal()] || s.Hash() != hex.EncodeToString(sum[:]) {
			t.Errorf("%d bytes, seen %v, hash %s: %v", len(raw), seen[s.Reveal()], s.Hash(), err)
		}
		seen[s.Reveal()] = true
	}
}
