package pki

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
