package agentkey

import (
	"crypto"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// NoOrigin replaces the origin for a program that is no page.
const NoOrigin = "-"

const context = "keyward-agent/1"

// ErrIdentity is wrapped by every refusal of an identity's public key.
var ErrIdentity = errors.New("not an agent's identity")

// IdentityStatement is what an identity signs for an RSA key.
func IdentityStatement(origin string, key crypto.PublicKey) ([]byte, error) {
	fingerprint, err := Fingerprint(key)
	if err != nil {
		return nil, err
	}
	return []byte(context + "\n" + origin + "\n" + fingerprint), nil
}

// Sign vouches for the RSA key; the result is standard base64 with padding. An
// empty origin is NoOrigin.
func Sign(identity ed25519.PrivateKey, origin string, key crypto.PublicKey) (string, error) {
	if origin == "" {
		origin = NoOrigin
	}
	message, err := IdentityStatement(origin, key)
	if err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(ed25519.Sign(identity, message)), nil
}

// Verify reports for which of the origins an identity has signed the RSA key.
func Verify(identity ed25519.PublicKey, signature string, origins []string, key crypto.PublicKey) (origin string, ok bool) {
	raw, err := base64.StdEncoding.Strict().DecodeString(signature)
	if err != nil || strings.ContainsAny(signature, "\r\n") { // the decoder skips line breaks
		return "", false
	}
	for _, origin := range origins {
		message, err := IdentityStatement(origin, key)
		if err == nil && ed25519.Verify(identity, message, raw) {
			return origin, true
		}
	}
	return "", false
}

// ParseIdentity reads an identity's public key: one PEM block "PUBLIC KEY" with
// an Ed25519 key (RFC 8410), and nothing after it. Errors wrap ErrIdentity.
func ParseIdentity(text string) (ed25519.PublicKey, error) {
	parsed, err := ParseAnyPublicKey(text)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrIdentity, err)
	}
	key, ok := parsed.(ed25519.PublicKey)
	if !ok {
		return nil, fmt.Errorf("%w: not Ed25519", ErrIdentity)
	}
	return key, nil
}

const codeLength = 16

// VerificationCode is what a person compares of an identity, or of the RSA key of an agent
// that has none: 16 characters of base32 (RFC 4648) of the SHA-256 of the key's
// SubjectPublicKeyInfo, in fours. It takes that hash in hex, as
// Fingerprint gives it; empty for what is none.
func VerificationCode(fingerprint string) string {
	sum, err := hex.DecodeString(fingerprint)
	if err != nil || len(sum) != sha256.Size {
		return ""
	}
	text := base32.StdEncoding.EncodeToString(sum)[:codeLength]
	return text[:4] + "-" + text[4:8] + "-" + text[8:12] + "-" + text[12:]
}

// SameCode compares codes as people write them: in any case, with or without
// spaces and hyphens.
func SameCode(a, b string) bool {
	a = plain(a)
	return len(a) == codeLength && a == plain(b)
}

var separators = strings.NewReplacer(" ", "", "-", "")

func plain(code string) string { return strings.ToUpper(separators.Replace(code)) }
