package vault

import (
	"crypto/x509"
	"fmt"
)

// maxCSR is the largest CSR in bytes, as DER.
const maxCSR = 64 << 10

// CSR is a certification request that was read. ParseCSR alone makes a usable
// one. Whether its key and its own signature are good, the engine judges by
// its role.
type CSR struct{ request *x509.CertificateRequest }

// ParseCSR reads the DER of a PKCS #10 CertificationRequest, or answers
// ErrInvalid with a text that may be shown.
func ParseCSR(der []byte) (CSR, error) {
	if len(der) == 0 || len(der) > maxCSR {
		return CSR{}, fmt.Errorf("%w: the CSR is empty or larger than 64 KiB", ErrInvalid)
	}
	request, err := x509.ParseCertificateRequest(der)
	if err != nil {
		return CSR{}, fmt.Errorf("%w: the CSR cannot be read as a PKCS #10 request in DER", ErrInvalid)
	}
	return CSR{request}, nil
}

// Request is what the CSR says; nil of the zero CSR. It is shared: do not
// change it. Raw is its DER.
func (c CSR) Request() *x509.CertificateRequest { return c.request }
