package license

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// publicKeys is set at build time (scripts/build, LICENSE_PUBLIC_KEYS).
var publicKeys string

// Keys are the vendor's public keys. Any of them may have signed a license, so that keys
// can be rotated.
type Keys []ed25519.PublicKey

// BuiltIn returns the keys that this program was built with, if any.
func BuiltIn() (Keys, error) { return ParseKeys(publicKeys) }

// ParseKeys reads public keys (32 bytes in base64, RFC 4648 section 4), separated by commas.
func ParseKeys(text string) (Keys, error) {
	var keys Keys
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		raw, ok := decode64(part, ed25519.PublicKeySize)
		if !ok {
			return nil, fmt.Errorf("public key %d for licenses is not 32 bytes in base64", len(keys)+1)
		}
		keys = append(keys, raw)
	}
	return keys, nil
}

// ErrSignature: the signature matches none of the keys.
var ErrSignature = errors.New("license: the signature matches none of the public keys")

// Verify returns the key that signed the file. ErrSignature.
func (k Keys) Verify(f File) (ed25519.PublicKey, error) {
	for _, key := range k {
		if ed25519.Verify(key, f.signed, f.signature) {
			return key, nil
		}
	}
	return nil, ErrSignature
}

// KeyID returns a short name of a public key: the first 8 bytes of its SHA-256, in hex.
func KeyID(key ed25519.PublicKey) string {
	sum := sha256.Sum256(key)
	return hex.EncodeToString(sum[:8])
}

// decode64 accepts only one spelling of that many bytes: padded, without line breaks.
func decode64(text string, size int) ([]byte, bool) {
	raw, err := base64.StdEncoding.Strict().DecodeString(text)
	return raw, err == nil && len(raw) == size && base64.StdEncoding.EncodeToString(raw) == text
}
