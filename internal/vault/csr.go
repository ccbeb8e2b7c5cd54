package vault

import (
	"bytes"
	"crypto/x509"
	"fmt"
	"unicode/utf8"

	"golang.org/x/crypto/cryptobyte"
	"golang.org/x/crypto/cryptobyte/asn1"
)

// maxCSR is the largest CSR in bytes, as DER.
const maxCSR = 64 << 10

// CSR is a parsed certification request; only ParseCSR makes a usable one. The engine checks its
// key and its own signature.
type CSR struct {
	request *x509.CertificateRequest
	loose   bool
}

// ParseCSR reads a PKCS #10 CertificationRequest in DER. Its errors are ErrInvalid with a text that
// may be shown.
func ParseCSR(der []byte) (CSR, error) {
	if len(der) == 0 || len(der) > maxCSR {
		return CSR{}, fmt.Errorf("%w: the CSR is empty or larger than 64 KiB", ErrInvalid)
	}
	request, err := x509.ParseCertificateRequest(der)
	loose := err != nil
	if loose {
		request, err = parseLoose(der)
	}
	if err != nil {
		return CSR{}, fmt.Errorf("%w: the CSR cannot be read as a PKCS #10 request in DER", ErrInvalid)
	}
	return CSR{request, loose}, nil
}

// parseLoose reads a CSR whose subject has PrintableStrings with characters that these may not hold
// (X.680, section 41.4), such as the _ and @ that node-forge, Java and .NET programs write and
// crypto/x509 refuses. It reads them as UTF8Strings; the signed bytes stay as they are.
func parseLoose(der []byte) (*x509.CertificateRequest, error) {
	copied := bytes.Clone(der)
	for _, value := range printableStrings(copied) {
		value[0] = byte(asn1.UTF8String)
	}
	request, err := x509.ParseCertificateRequest(copied)
	if err != nil {
		return nil, err
	}
	var body cryptobyte.String
	whole := cryptobyte.String(der)
	if !whole.ReadASN1(&whole, asn1.SEQUENCE) || !whole.ReadASN1Element(&body, asn1.SEQUENCE) {
		return nil, ErrInvalid
	}
	request.Raw, request.RawTBSCertificateRequest = der, body
	return request, nil
}

// printableStrings returns the PrintableStrings in a CSR's subject; none if der is no CSR.
func printableStrings(der cryptobyte.String) (values []cryptobyte.String) {
	var request, info, subject cryptobyte.String
	if !der.ReadASN1(&request, asn1.SEQUENCE) || !request.ReadASN1(&info, asn1.SEQUENCE) || !info.SkipASN1(asn1.INTEGER) ||
		!info.ReadASN1(&subject, asn1.SEQUENCE) {
		return nil
	}
	for !subject.Empty() {
		var names cryptobyte.String
		if !subject.ReadASN1(&names, asn1.SET) {
			return nil
		}
		for !names.Empty() {
			var name, value, text cryptobyte.String
			var tag asn1.Tag
			if !names.ReadASN1(&name, asn1.SEQUENCE) || !name.SkipASN1(asn1.OBJECT_IDENTIFIER) || !name.ReadAnyASN1Element(&value, &tag) {
				return nil
			}
			element := value
			if tag == asn1.PrintableString && element.ReadASN1(&text, tag) && utf8.Valid(text) {
				values = append(values, value)
			}
		}
	}
	return values
}

// Request returns the parsed CSR; nil for the zero CSR. It is shared: do not change it. Raw is its
// DER.
func (c CSR) Request() *x509.CertificateRequest { return c.request }

// Loose reports whether the subject has a PrintableString with characters that it may not hold:
// strict readers, such as Vault, refuse the CSR.
func (c CSR) Loose() bool { return c.loose }
