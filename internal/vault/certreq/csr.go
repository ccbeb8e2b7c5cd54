// Package certreq judges a request for a certificate before any CA sees it:
// the names, the CSR's own signature (RFC 2986) and its key. Every engine of
// the vault's port asks it, so that all refuse the same, in the same words.
//
// Refused keys: types that the role does not list; RSA with an exponent other
// than 65537, an even modulus or one with small factors, primes that lie too
// close together (CVE-2022-26320), and the ROCA pattern (CVE-2017-15361, which
// YubiKey 4 tokens have). Not checked: Debian's weak keys of 2008
// (CVE-2008-0166); the list is too large, and no token could make them.
package certreq

import (
	"crypto/x509"
	"fmt"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/vault"
)

// CheckCSR refuses a CSR whose key is not one of the allowed types or is known
// to be weak, or whose own signature does not verify; and nil.
func CheckCSR(csr *x509.CertificateRequest, allowed []piv.KeyType) error {
	if csr == nil {
		return fmt.Errorf("%w: there is no CSR", vault.ErrInvalid)
	}
	// The key first: a signature check with an absurd key is wasted work.
	if err := CheckKey(csr.PublicKey, allowed); err != nil {
		return err
	}
	if err := csr.CheckSignature(); err != nil {
		return fault.New(fault.CSRRejected, "csr_signature",
			"The CSR's own signature doesn't verify. Create the CSR again.").With(vault.ErrInvalid)
	}
	return nil
}
