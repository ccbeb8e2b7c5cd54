package piv

import (
	"crypto"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"strconv"
	"strings"
)

// KeyType is a kind of public key with its size, as settings and certificate
// records spell it.
type KeyType string

// The key types that Keyward may certify; a CA may have all but Ed25519.
const (
	RSA2048 KeyType = "rsa-2048"
	RSA3072 KeyType = "rsa-3072"
	RSA4096 KeyType = "rsa-4096"
	ECP256  KeyType = "ec-p256"
	ECP384  KeyType = "ec-p384"
	Ed25519 KeyType = "ed25519"
)

// Other key types that a card may hold.
const (
	RSA1024 KeyType = "rsa-1024"
	X25519  KeyType = "x25519"
)

// KeyTypeOf returns a public key's type; "" when it is neither RSA nor on a curve.
func KeyTypeOf(key crypto.PublicKey) KeyType {
	switch k := key.(type) {
	case *rsa.PublicKey:
		return KeyType("rsa-" + strconv.Itoa(k.N.BitLen()))
	case *ecdsa.PublicKey:
		return KeyType("ec-p" + strconv.Itoa(k.Curve.Params().BitSize))
	case ed25519.PublicKey:
		return Ed25519
	case *ecdh.PublicKey:
		if k.Curve() == ecdh.X25519() {
			return X25519
		}
	}
	return ""
}

// Algorithm is the key type without its size: rsa, ec, ed25519.
func (t KeyType) Algorithm() string {
	name, _, _ := strings.Cut(string(t), "-")
	return name
}

// ToolName is its name in token tools and the agent's API: RSA2048, ECCP256.
func (t KeyType) ToolName() string {
	return strings.NewReplacer("EC-", "ECC", "-", "").Replace(strings.ToUpper(string(t)))
}

// KeyTypeByIdentifier returns the key type with that number in commands and
// metadata (NIST SP 800-78-4, table 6-2, and Yubico), or "".
func KeyTypeByIdentifier(identifier byte) KeyType {
	return map[byte]KeyType{
		0x06: RSA1024, 0x07: RSA2048, 0x05: RSA3072, 0x16: RSA4096, 0x11: ECP256, 0x14: ECP384, 0xe0: Ed25519, 0xe1: X25519,
	}[identifier]
}

// SameKey reports whether two public keys are equal.
func SameKey(a, b crypto.PublicKey) bool {
	k, ok := a.(interface{ Equal(crypto.PublicKey) bool })
	return ok && k.Equal(b)
}
