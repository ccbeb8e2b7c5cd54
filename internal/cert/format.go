package cert

import (
	"bytes"
	"context"
	"encoding/asn1"

	"golang.org/x/crypto/cryptobyte"
	cbasn1 "golang.org/x/crypto/cryptobyte/asn1"

	"github.com/keyward/keyward/internal/pki"
	"github.com/keyward/keyward/internal/vault"
)

// The forms in which programs ask for a certificate.
const (
	FormatPEM   = "pem"
	FormatDER   = "der"
	FormatChain = "chain" // PEM, root last
	FormatPKCS7 = "pkcs7" // with its chain, as DER (RFC 8551, section 3.2.2: certs-only)
	FormatSSH   = "ssh"   // its key as a line of authorized_keys
)

// Formats lists them.
var Formats = []string{FormatPEM, FormatDER, FormatChain, FormatPKCS7, FormatSSH}

// File returns a certificate in a format, and its media type.
func (s *Service) File(ctx context.Context, c Certificate, format string) (content []byte, mediaType string, err error) {
	const pemType = "application/x-pem-file"
	switch format {
	case FormatPEM:
		return []byte(PEM(c.DER)), pemType, nil
	case FormatDER:
		return c.DER, "application/pkix-cert", nil
	case FormatSSH:
		line, err := pki.SSHKey(c.DER, c.HWKeySerial+"/"+c.Slot)
		return []byte(line), "text/plain; charset=utf-8", err
	}
	cas, err := s.PKI.CAs(ctx)
	if err != nil {
		return nil, "", vault.Fault(err)
	}
	chain, err := chainOf(cas, c.DER)
	if err != nil {
		return nil, "", err
	}
	if format == FormatPKCS7 {
		content, err = certsOnly(append([][]byte{c.DER}, chain...))
		return content, "application/pkcs7-mime; smime-type=certs-only", err
	}
	var b bytes.Buffer
	for _, der := range append([][]byte{c.DER}, chain...) {
		b.WriteString(PEM(der))
	}
	return b.Bytes(), pemType, nil
}

var (
	oidSignedData = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 7, 2}
	oidData       = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 7, 1}
)

// certsOnly is a SignedData without signers (RFC 5652, section 5.1).
func certsOnly(certificates [][]byte) ([]byte, error) {
	var b cryptobyte.Builder
	context := cbasn1.Tag(0).ContextSpecific().Constructed()
	b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
		b.AddASN1ObjectIdentifier(oidSignedData)
		b.AddASN1(context, func(b *cryptobyte.Builder) {
			b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
				b.AddASN1Int64(1)
				b.AddASN1(cbasn1.SET, func(*cryptobyte.Builder) {})
				b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) { b.AddASN1ObjectIdentifier(oidData) })
				b.AddASN1(context, func(b *cryptobyte.Builder) {
					for _, der := range certificates {
						b.AddBytes(der)
					}
				})
				b.AddASN1(cbasn1.SET, func(*cryptobyte.Builder) {})
			})
		})
	})
	return b.Bytes()
}
