package issuance

import (
	"bytes"
	"crypto/x509"
	"errors"
	"math/big"
	"net/netip"
	"slices"

	"github.com/keyward/keyward/internal/piv"
)

// lint reads the bytes that are about to be signed with the standard
// library's parser, which shares no code with build, and compares each field
// with what the profile and the request demand.
func (i *Issuer) lint(tbs []byte, t *template) (*x509.Certificate, error) {
	cert, err := x509.ParseCertificate(assemble(tbs, i.alg.der, []byte{0}))
	if err != nil {
		return nil, errors.New("it cannot be read back")
	}
	for _, rule := range []func(*x509.Certificate, *template) string{
		i.lintBasics, i.lintValidity, i.lintUsage, i.lintLinks, lintNames,
	} {
		if broken := rule(cert, t); broken != "" {
			return nil, errors.New(broken)
		}
	}
	return cert, nil
}

func (i *Issuer) lintBasics(cert *x509.Certificate, t *template) string {
	switch {
	case cert.Version != 3:
		return "version"
	case cert.SignatureAlgorithm != i.alg.x509:
		return "signature algorithm"
	case cert.SerialNumber.Cmp(new(big.Int).SetBytes(t.serial)) != 0 || cert.SerialNumber.Sign() <= 0,
		len(t.serial) < 16 || len(t.serial) > 20 || cert.SerialNumber.BitLen() <= 8*(len(t.serial)-1):
		return "serial number"
	case !bytes.Equal(cert.RawIssuer, i.cert.RawSubject):
		return "issuer"
	case !piv.SameKey(cert.PublicKey, t.public):
		return "public key"
	case !slices.Contains(i.profile.KeyTypes, piv.KeyTypeOf(cert.PublicKey)):
		return "key type"
	}
	return ""
}

func (i *Issuer) lintValidity(cert *x509.Certificate, t *template) string {
	switch {
	case !cert.NotBefore.Equal(t.notBefore) || !cert.NotAfter.Equal(t.notAfter):
		return "validity"
	case !cert.NotAfter.After(cert.NotBefore):
		return "validity is empty"
	case cert.NotAfter.Sub(cert.NotBefore) > i.profile.MaxTTL:
		return "validity is longer than the role allows"
	case cert.NotAfter.After(i.cert.NotAfter):
		return "validity ends after the CA's"
	}
	return ""
}

func (i *Issuer) lintUsage(cert *x509.Certificate, _ *template) string {
	wantEKU := []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageEmailProtection}
	wantUsage, encoded := x509.KeyUsageDigitalSignature, []byte{3, 2, 7, 0x80}
	if cert.PublicKeyAlgorithm == x509.RSA {
		wantUsage, encoded = x509.KeyUsageDigitalSignature|x509.KeyUsageKeyEncipherment, []byte{3, 2, 5, 0xa0}
	}
	switch {
	case cert.IsCA || !cert.BasicConstraintsValid:
		return "basic constraints"
	case cert.KeyUsage != wantUsage:
		return "key usage"
	case !slices.Equal(cert.ExtKeyUsage, wantEKU) || len(cert.UnknownExtKeyUsage) != 0:
		return "extended key usage"
	case len(cert.UnhandledCriticalExtensions) != 0:
		return "critical extensions"
	}
	critical := map[string]bool{oidKeyUsage.String(): true, oidBasicConstraints.String(): true}
	for _, ext := range cert.Extensions {
		if ext.Critical != critical[ext.Id.String()] {
			return "criticality"
		}
		// The parser ignores the count of unused bits.
		if ext.Id.Equal(oidKeyUsage) && !bytes.Equal(ext.Value, encoded) {
			return "key usage encoding"
		}
	}
	return ""
}

func (i *Issuer) lintLinks(cert *x509.Certificate, t *template) string {
	want := 7
	if !t.names.Empty() {
		want++
	}
	switch {
	case len(cert.Extensions) != want:
		return "number of extensions"
	case len(cert.AuthorityKeyId) == 0 || !bytes.Equal(cert.AuthorityKeyId, i.cert.SubjectKeyId):
		return "authority key identifier"
	case !bytes.Equal(cert.SubjectKeyId, t.keyID):
		return "subject key identifier"
	case !slices.Equal(cert.CRLDistributionPoints, []string{i.profile.CRL}):
		return "CRL distribution point"
	case !slices.Equal(cert.IssuingCertificateURL, []string{i.profile.CAIssuers}) || !slices.Equal(cert.OCSPServer, i.profile.OCSP):
		return "authority information access"
	}
	return ""
}

func lintNames(cert *x509.Certificate, t *template) string {
	if cert.Subject.CommonName != t.names.CommonName || len(cert.Subject.Names) != 1 {
		return "subject"
	}
	var ips []netip.Addr
	for _, ip := range cert.IPAddresses {
		addr, _ := netip.AddrFromSlice(ip)
		ips = append(ips, addr)
	}
	if !slices.Equal(cert.EmailAddresses, t.names.Emails) || !slices.Equal(cert.DNSNames, t.names.DNS) ||
		!slices.Equal(ips, t.names.IPs) || len(cert.URIs) != len(t.names.URIs) {
		return "subject alternative names"
	}
	return ""
}
