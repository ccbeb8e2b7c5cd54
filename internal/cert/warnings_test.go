package cert

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"math/big"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/test/must"
)

// TestWarnings: each request of an openssl CSR that is not met is named once, and so
// is an end with the CA.
func TestWarnings(t *testing.T) {
	t.Parallel()
	request := must.Get(parseCSR(string(must.Get(os.ReadFile("testdata/openssl-asks.csr"))(t))))(t).Request()
	key := must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	end := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	made := func(notAfter time.Time, change func(*x509.Certificate)) []byte {
		c := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: notAfter}
		change(c)
		return must.Get(x509.CreateCertificate(rand.Reader, c, c, key.Public(), key))(t)
	}
	chain := [][]byte{made(end, func(*x509.Certificate) {})}
	bare := []string{
		"The CSR asks for the email address jdoe@example.org, which the certificate doesn't have.",
		"The CSR asks for the key usage digitalSignature, which the certificate doesn't have.",
		"The CSR asks for the key usage dataEncipherment, which the certificate doesn't have.",
		"The CSR asks for the extended key usage clientAuth, which the certificate doesn't have.",
		"The CSR asks for the extended key usage codeSigning, which the certificate doesn't have.",
		"The CSR asks for the extended key usage pkinitClient, which the certificate doesn't have.",
		"The CSR asks for the basic constraint CA:TRUE, which the certificate doesn't have.",
		"The CSR asks for the extension 1.3.6.1.4.1.311.20.2, which the certificate doesn't have.",
	}
	named := func(c *x509.Certificate) { c.Subject = pkix.Name{CommonName: "JDoe_x"} }
	full := func(c *x509.Certificate) {
		named(c)
		c.EmailAddresses, c.KeyUsage = []string{"JDoe@example.org"}, x509.KeyUsageDigitalSignature|x509.KeyUsageDataEncipherment
		c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageCodeSigning}
	}
	for name, c := range map[string]struct {
		der  []byte
		want []string
	}{
		"bare":        {made(end.Add(-time.Hour), named), bare},
		"nearly all":  {made(end.Add(-time.Hour), full), bare[5:]},
		"with the CA": {made(end, full), append(slices.Clone(bare[5:]), "The certificate ends when its CA ends, on 2030-01-02.")},
		"without a CN": {made(end.Add(-time.Hour), func(c *x509.Certificate) { full(c); c.Subject = pkix.Name{} }),
			append([]string{"The CSR asks for the name CN=jdoe_x, which the certificate doesn't have."}, bare[5:]...)},
	} {
		got, err := warnings(request, c.der, chain)
		must.OK(t, err)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestMissingNames: every kind of name that a CSR asks for in vain is reported.
func TestMissingNames(t *testing.T) {
	t.Parallel()
	names := must.Get(asn1.Marshal([]asn1.RawValue{
		{Class: asn1.ClassContextSpecific, Tag: 0, IsCompound: true, Bytes: slices.Concat(
			must.Get(asn1.Marshal(asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 311, 20, 2, 3}))(t), // a user principal name
			must.Get(asn1.Marshal(asn1.RawValue{Class: asn1.ClassContextSpecific, Tag: 0, IsCompound: true, Bytes: []byte("\x0c\x08jdoe@a.b")}))(t),
		)},
		{Class: asn1.ClassContextSpecific, Tag: 1, Bytes: []byte("jdoe@example.org")},
		{Class: asn1.ClassContextSpecific, Tag: 2, Bytes: []byte("host.example.org")},
		{Class: asn1.ClassContextSpecific, Tag: 6, Bytes: []byte("urn:x")},
		{Class: asn1.ClassContextSpecific, Tag: 7, Bytes: []byte{192, 0, 2, 1}},
	}))(t)
	request := must.Get(parseCSR(csr(t, func(r *x509.CertificateRequest) {
		r.Subject.OrganizationalUnit = []string{"x"}
		r.ExtraExtensions = []pkix.Extension{{Id: oidSAN, Value: names}}
	})))(t).Request()
	issued := &x509.Certificate{Subject: pkix.Name{Names: request.Subject.Names[1:]}, EmailAddresses: []string{"JDoe@example.org"}}
	got := missingNames(request, issued)
	want := []string{"the name OU=x", "the DNS name host.example.org", "the IP address 192.0.2.1", "the URI urn:x",
		"the user principal name (UPN) jdoe@a.b"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
