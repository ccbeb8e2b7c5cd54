package pki

import (
	"crypto/rsa"
	"slices"
	"strings"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/vault"
)

// CheckKey refuses subject keys of types that the role does not list, and weak ones: RSA
// with an exponent other than 65537, an even modulus or small factors, primes that are too
// close (CVE-2022-26320), and the ROCA pattern (CVE-2017-15361, YubiKey 4). Not checked:
// Debian's weak keys of 2008 (CVE-2008-0166), which no token can make.
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
