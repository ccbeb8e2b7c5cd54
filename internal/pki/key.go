package pki

import (
	"crypto/rsa"
	"slices"
	"strings"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/vault"
)

// CheckKey refuses subject keys that the role does not allow or that are
// known to be weak.
func CheckKey(public any, allowed []piv.KeyType) error {
	if !slices.Contains(allowed, piv.KeyTypeOf(public)) {
		return fault.Newf(fault.CSRRejected, "key_type", "The CSR's key is of a type that is not allowed. Allowed: {allowed}.",
			fault.Params{"allowed": join(allowed)}).With(vault.ErrInvalid)
	}
	key, isRSA := public.(*rsa.PublicKey)
	if !isRSA {
		return nil // the parser has checked that the point is on the curve
	}
	if key.E != 65537 {
		return fault.New(fault.CSRRejected, "key_exponent",
			"The CSR's RSA key has an exponent other than 65537. Create a new key.").With(vault.ErrInvalid)
	}
	switch weakRSA(key) {
	case "":
		return nil
	case roca:
		return fault.New(fault.CSRRejected, "key_roca", "The CSR's RSA key is weak: its generator has the ROCA "+
			"weakness (CVE-2017-15361). Use a token with other firmware.").With(vault.ErrInvalid)
	}
	return fault.New(fault.CSRRejected, "key_weak", "The CSR's RSA key is weak: it can be factored. Create a new "+
		"key.").With(vault.ErrInvalid)
}

func join(types []piv.KeyType) string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = string(t)
	}
	return strings.Join(names, ", ")
}
