package agentkey

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/textinput"
)

const (
	minBits = 4096
	maxBits = 8192
)

// ErrOpen is Open's only error: wrong key, token, field or form. It says no
// more, so that Open is no oracle.
var ErrOpen = errors.New("the sealed text does not open with this agent's key for this token and field")

// ErrKey is wrapped by every refusal of a public key.
var ErrKey = errors.New("not an acceptable agent key")

func label(serial string, f piv.Field) []byte {
	return []byte("keyward/1/" + serial + "/" + string(f))
}

// Seal encrypts plain for the holder of key, bound to serial and field, and
// returns standard base64 with padding.
func Seal(key *rsa.PublicKey, serial string, f piv.Field, plain secret.String) (string, error) {
	c, err := rsa.EncryptOAEP(sha256.New(), rand.Reader, key, []byte(plain.Reveal()), label(serial, f))
	if err != nil {
		return "", fmt.Errorf("seal %s: %w", f, err)
	}
	return base64.StdEncoding.EncodeToString(c), nil
}

// Open decrypts the output of Seal for the same serial and field. Every failure is ErrOpen.
func Open(key crypto.Decrypter, serial string, f piv.Field, sealed string) (secret.String, error) {
	c, err := base64.StdEncoding.Strict().DecodeString(sealed)
	if err != nil || strings.ContainsAny(sealed, "\r\n") { // the decoder skips line breaks
		return secret.String{}, ErrOpen
	}
	p, err := key.Decrypt(nil, c, &rsa.OAEPOptions{Hash: crypto.SHA256, Label: label(serial, f)})
	if err != nil {
		return secret.String{}, ErrOpen
	}
	return secret.New(string(p)), nil
}

// ParseAnyPublicKey reads one PEM block "PUBLIC KEY" (SubjectPublicKeyInfo, RFC
// 5280 section 4.1.2.7) and nothing after it. Errors wrap ErrKey.
func ParseAnyPublicKey(text string) (crypto.PublicKey, error) {
	block, rest := textinput.PEM(text)
	switch {
	case block == nil:
		return nil, fmt.Errorf("%w: no PEM block", ErrKey)
	case block.Type != "PUBLIC KEY":
		return nil, fmt.Errorf("%w: the PEM block must be a PUBLIC KEY", ErrKey)
	case len(block.Headers) != 0:
		return nil, fmt.Errorf("%w: the PEM block has headers", ErrKey)
	case len(rest) != 0:
		return nil, fmt.Errorf("%w: data after the PEM block", ErrKey)
	case len(block.Bytes) > 2048:
		return nil, fmt.Errorf("%w: longer than any RSA key of %d bits", ErrKey, maxBits)
	}
	parsed, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%w: no SubjectPublicKeyInfo", ErrKey)
	}
	return parsed, nil
}

// ParsePublicKey reads an agent's public key: ParseAnyPublicKey with an RSA key
// of 4096 to 8192 bits and exponent 65537. Errors wrap ErrKey.
func ParsePublicKey(text string) (*rsa.PublicKey, error) {
	parsed, err := ParseAnyPublicKey(text)
	if err != nil {
		return nil, err
	}
	key, ok := parsed.(*rsa.PublicKey)
	if !ok {
		return nil, fmt.Errorf("%w: not RSA", ErrKey)
	}
	if bits := key.N.BitLen(); bits < minBits || bits > maxBits {
		return nil, fmt.Errorf("%w: the modulus must have %d to %d bits", ErrKey, minBits, maxBits)
	}
	if key.E != 65537 {
		return nil, fmt.Errorf("%w: the exponent must be 65537", ErrKey)
	}
	if key.N.Bit(0) == 0 {
		return nil, fmt.Errorf("%w: the modulus is even", ErrKey)
	}
	return key, nil
}

// EncodePublicKey is the inverse of ParseAnyPublicKey.
func EncodePublicKey(key crypto.PublicKey) (string, error) {
	der, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		return "", fmt.Errorf("encode public key: %w", err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})), nil
}

// Fingerprint identifies a public key for people and audit entries: lower-case
// hex of the SHA-256 of its SubjectPublicKeyInfo.
func Fingerprint(key crypto.PublicKey) (string, error) {
	der, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		return "", fmt.Errorf("fingerprint of public key: %w", err)
	}
	sum := sha256.Sum256(der)
	return hex.EncodeToString(sum[:]), nil
}
