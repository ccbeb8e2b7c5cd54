package issuance

import (
	"crypto/rsa"
	"fmt"
	"slices"
	"strings"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/vault"
)

// checkKey refuses subject keys that the role does not allow or that are
// known to be weak.
func checkKey(public any, allowed []piv.KeyType) error {
	if !slices.Contains(allowed, piv.KeyTypeOf(public)) {
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

func join(types []piv.KeyType) string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = string(t)
	}
	return strings.Join(names, ", ")
}

func invalid(what string) error { return fmt.Errorf("%w: %s", vault.ErrInvalid, what) }
