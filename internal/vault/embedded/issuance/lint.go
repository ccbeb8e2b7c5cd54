package issuance

import (
	"bytes"
	"crypto/x509"
	"encoding/asn1"
	"errors"
	"fmt"
	"math/big"
	"net/netip"
	"reflect"
	"slices"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/pki"
	"github.com/keyward/keyward/internal/vault"
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

func (i *Issuer) lintUsage(cert *x509.Certificate, t *template) string {
	switch {
	case cert.IsCA || !cert.BasicConstraintsValid:
		return "basic constraints"
	case cert.KeyUsage != t.usage.Key || cert.KeyUsage == 0 || cert.KeyUsage&^allowedUsages != 0:
		return "key usage"
	case len(cert.UnhandledCriticalExtensions) != 0:
		return "critical extensions"
	}
	limited := false
	critical := map[string]bool{oidKeyUsage.String(): true, oidBasicConstraints.String(): true}
	for _, ext := range cert.Extensions {
		if ext.Critical != critical[ext.Id.String()] {
			return "criticality"
		}
		switch {
		case ext.Id.Equal(oidKeyUsage):
			if !bytes.Equal(ext.Value, encodedUsage(t.usage.Key)) {
				return "key usage encoding"
			}
		case ext.Id.Equal(oidExtKeyUsage):
			var purposes []asn1.ObjectIdentifier
			rest, err := asn1.Unmarshal(ext.Value, &purposes)
			limited = true
			if err != nil || len(rest) > 0 || len(purposes) == 0 || !slices.EqualFunc(purposes, t.usage.Purposes, asn1.ObjectIdentifier.Equal) {
				return "extended key usage"
			}
		}
	}
	if !limited {
		return "no extended key usage"
	}
	return ""
}

// encodedUsage is a BIT STRING without trailing zero bits (X.690, section 11.2.2), whose count the
// parser ignores.
func encodedUsage(usage x509.KeyUsage) []byte {
	octet, unused := byte(0), byte(8)
	for bit := range byte(8) {
		if usage&(1<<bit) != 0 {
			octet |= 0x80 >> bit
			unused = 7 - bit
		}
	}
	return []byte{3, 2, unused, octet}
}

// allowedUsages are what no profile may exceed.
const allowedUsages = x509.KeyUsageDigitalSignature | x509.KeyUsageContentCommitment |
	x509.KeyUsageKeyEncipherment | x509.KeyUsageKeyAgreement

func (i *Issuer) lintLinks(cert *x509.Certificate, t *template) string {
	want := 7
	if !t.names.Empty() {
		want++
	}
	if t.names.SID != "" {
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
	want := []string{}
	for _, name := range []struct{ attribute, value string }{
		{"C", t.names.Country}, {"O", t.names.Organization}, {"OU", t.names.OrganizationalUnit}, {"CN", t.names.CommonName},
	} {
		if name.value != "" {
			want = append(want, name.attribute+"="+name.value)
		}
	}
	got := []string{}
	for _, name := range cert.Subject.Names {
		attribute := map[string]string{"2.5.4.6": "C", "2.5.4.10": "O", "2.5.4.11": "OU", "2.5.4.3": "CN"}[name.Type.String()]
		got = append(got, fmt.Sprintf("%s=%s", attribute, name.Value))
	}
	if !slices.Equal(got, want) {
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
	others := pki.OtherNames{SID: t.names.SID}
	if t.names.UPN != "" {
		others.UPNs = []string{t.names.UPN}
	}
	if t.names.Principal != (vault.Principal{}) {
		others.Principals = []vault.Principal{t.names.Principal}
	}
	if !reflect.DeepEqual(pki.OtherNamesOf(cert.Extensions), others) {
		return "names of a directory"
	}
	return ""
}
