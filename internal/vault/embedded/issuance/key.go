package issuance

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"fmt"
	"slices"
	"strings"

	"github.com/keyward/keyward/internal/vault"
)

// KeyTypeOf names a public key's type; empty when Keyward knows none for it.
func KeyTypeOf(public any) vault.KeyType {
	switch key := public.(type) {
	case *rsa.PublicKey:
		switch key.N.BitLen() {
		case 2048:
			return vault.RSA2048
		case 3072:
			return vault.RSA3072
		case 4096:
			return vault.RSA4096
		}
	case *ecdsa.PublicKey:
		switch key.Curve {
		case elliptic.P256():
			return vault.ECP256
		case elliptic.P384():
			return vault.ECP384
		}
	case ed25519.PublicKey:
		return vault.Ed25519
	}
	return ""
}

// checkKey refuses subject keys that the role does not allow or that are
// known to be weak.
func checkKey(public any, allowed []vault.KeyType) error {
	if !slices.Contains(allowed, KeyTypeOf(public)) {
		return invalid("the CSR's key is of a type that is not allowed; allowed: " + join(allowed))
	}
	key, isRSA := public.(*rsa.PublicKey)
	if !isRSA {
		return nil // the parser has checked that the point is on the curve
	}
	if key.E != 65537 {
		return invalid("the CSR's RSA key has an exponent other than 65537; make a new key")
	}
	if weakness := weakRSA(key); weakness != "" {
		return invalid("the CSR's RSA key is weak: " + weakness)
	}
	return nil
}

func join(types []vault.KeyType) string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = string(t)
	}
	return strings.Join(names, ", ")
}

func invalid(what string) error { return fmt.Errorf("%w: %s", vault.ErrInvalid, what) }
