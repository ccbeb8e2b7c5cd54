// Package certreq judges a certificate request before any CA sees it: the names, the CSR's own
// signature (RFC 2986) and its key. Every vault engine uses it, so that all refuse the same
// requests with the same texts.
//
// Refused keys: types that the role does not list; RSA with an exponent other
// than 65537, an even modulus or one with small factors, primes that lie too
// close together (CVE-2022-26320), and the ROCA pattern (CVE-2017-15361, which
// YubiKey 4 tokens have). Not checked: Debian's weak keys of 2008
// (CVE-2008-0166); the list is too large, and no token could make them.
package certreq

import (
	"crypto/x509"
	"errors"
	"fmt"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/vault"
)

// CheckCSR refuses nil, and a CSR whose key is weak or of a type that is not allowed, or whose own
// signature does not verify.
func CheckCSR(csr *x509.CertificateRequest, allowed []piv.KeyType) error {
	if csr == nil {
		return fmt.Errorf("%w: there is no CSR", vault.ErrInvalid)
	}
	// The key first: a signature check with an absurd key is wasted work.
	if err := CheckKey(csr.PublicKey, allowed); err != nil {
		return err
	}
	err := csr.CheckSignature()
	_, insecure := errors.AsType[x509.InsecureAlgorithmError](err)
	switch {
	case err == nil:
		return nil
	case insecure, errors.Is(err, x509.ErrUnsupportedAlgorithm):
		return fault.New(fault.CSRRejected, "csr_signature_algorithm",
			"The CSR is signed with an algorithm that isn't accepted. Sign it with SHA-256: ECDSA, Ed25519, "+
				"RSA with PKCS #1 v1.5, or RSA-PSS with a salt of 32 bytes.").With(vault.ErrInvalid)
	default:
		return fault.New(fault.CSRRejected, "csr_signature",
			"The CSR's own signature doesn't verify. Create the CSR again.").With(vault.ErrInvalid)
	}
}
