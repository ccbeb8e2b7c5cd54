package applet

import (
	"crypto"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/x509"
	"errors"
	"fmt"
	"math/big"
	"strconv"

	"github.com/keyward/keyward/internal/piv"
)

// slot is the key reference of an asymmetric key.
type slot byte

const (
	slotAuthentication slot = 0x9A
	slotSignature      slot = 0x9C
	slotManagement     slot = 0x9D
	slotCard           slot = 0x9E
	slotRetiredFirst   slot = 0x82
	slotRetiredLast    slot = 0x95
	slotAttestation    slot = 0xF9
)

func (s slot) valid() bool {
	switch s {
	case slotAuthentication, slotSignature, slotManagement, slotCard, slotAttestation:
		return true
	}
	return s >= slotRetiredFirst && s <= slotRetiredLast
}

// MarshalText encodes a slot for the state file, such as "9a".
func (s slot) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%02x", byte(s)), nil }

// UnmarshalText decodes a slot from the state file.
func (s *slot) UnmarshalText(text []byte) error {
	n, err := strconv.ParseUint(string(text), 16, 8)
	*s = slot(n)
	if err == nil && !s.valid() {
		err = errors.New("no such slot")
	}
	return err
}

// Key algorithms (SP 800-78-4, table 6-2, and Yubico's for firmware 5.7).
const (
	algRSA2048 = 0x07
	algRSA3072 = 0x05
	algRSA4096 = 0x16
	algP256    = 0x11
	algP384    = 0x14
	algEd25519 = 0xE0
	algX25519  = 0xE1
)

// supports reports whether a firmware has an algorithm. RSA-1024 is refused on every
// firmware: nobody should test against it.
func supports(v piv.Version, alg byte) bool {
	switch alg {
	case algRSA2048, algP256, algP384:
		return true
	case algRSA3072, algRSA4096, algEd25519, algX25519:
		return v.AtLeast(piv.SinceLargerKeys)
	}
	return false
}

// rsaBits returns the modulus length, 0 when the algorithm is not RSA.
func rsaBits(alg byte) int {
	switch alg {
	case algRSA2048:
		return 2048
	case algRSA3072:
		return 3072
	case algRSA4096:
		return 4096
	}
	return 0
}

type pinPolicy byte

const (
	pinDefault pinPolicy = iota
	pinNever
	pinOnce
	pinAlways
)

type touchPolicy byte

const (
	touchDefault touchPolicy = iota
	touchNever
	touchAlways
	touchCached
)

// key is an occupied slot.
type key struct {
	Algorithm byte        `json:"algorithm"`
	PIN       pinPolicy   `json:"pin_policy"`
	Touch     touchPolicy `json:"touch_policy"`
	Imported  bool        `json:"imported"`
	PKCS8     []byte      `json:"pkcs8"`
}

// resolve replaces default policies by the slot's (Yubico).
func (k *key) resolve(s slot) {
	if k.Touch == touchDefault {
		k.Touch = touchNever
	}
	if k.PIN != pinDefault {
		return
	}
	switch s {
	case slotSignature:
		k.PIN = pinAlways
	case slotCard:
		k.PIN = pinNever
	default:
		k.PIN = pinOnce
	}
}

// private returns the key: *rsa.PrivateKey, *ecdsa.PrivateKey, ed25519.PrivateKey or
// *ecdh.PrivateKey.
func (k key) private() (any, error) { return x509.ParsePKCS8PrivateKey(k.PKCS8) }

// public returns the public half of a private key.
func public(private any) crypto.PublicKey {
	return private.(interface{ Public() crypto.PublicKey }).Public()
}

// encodePublic returns the public key's data objects: 81 and 82 for RSA, 86 for curves
// (SP 800-73-4 part 2, table 11).
func encodePublic(pub crypto.PublicKey) ([]byte, error) {
	switch p := pub.(type) {
	case *rsa.PublicKey:
		return append(object(0x81, p.N.Bytes()), object(0x82, big.NewInt(int64(p.E)).Bytes())...), nil
	case *ecdsa.PublicKey:
		point, err := p.Bytes()
		return object(0x86, point), err
	case ed25519.PublicKey:
		return object(0x86, p), nil
	case *ecdh.PublicKey:
		return object(0x86, p.Bytes()), nil
	}
	return nil, errors.New("unknown kind of public key")
}
