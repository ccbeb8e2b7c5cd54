package cert

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/pem"
	"net"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/hwkey"
)

var owner = hwkey.Device{Serial: "1234", OwnerUsername: "JDoe", OwnerEmail: "j.doe@example.org"}

func csr(t testing.TB, change func(*x509.CertificateRequest)) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.CertificateRequest{Subject: pkix.Name{CommonName: "jdoe"}}
	change(template)
	der, err := x509.CreateCertificateRequest(rand.Reader, template, key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}))
}

// otherName makes a SAN extension with a name type that crypto/x509 ignores: a
// Microsoft user principal name (otherName).
func otherName(t testing.TB) pkix.Extension {
	t.Helper()
	value, err := asn1.Marshal([]asn1.RawValue{{Class: asn1.ClassContextSpecific, Tag: 0, IsCompound: true, Bytes: []byte{6, 3, 42, 3, 4}}})
	if err != nil {
		t.Fatal(err)
	}
	return pkix.Extension{Id: asn1.ObjectIdentifier{2, 5, 29, 17}, Value: value}
}

// TestOwnerPolicy is the table of the contract, "Certificates and PKI",
// signing: CN is the owner's username or email, the email SAN the owner's,
// and nothing else.
func TestOwnerPolicy(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*x509.CertificateRequest)
		cn     string // of the certificate; empty: rejected
	}{
		"username":                 {func(*x509.CertificateRequest) {}, "JDoe"},
		"email":                    {func(r *x509.CertificateRequest) { r.Subject.CommonName = "J.Doe@example.org" }, "j.doe@example.org"},
		"with the owner's email":   {func(r *x509.CertificateRequest) { r.EmailAddresses = []string{"j.doe@example.org"} }, "JDoe"},
		"no common name":           {func(r *x509.CertificateRequest) { r.Subject = pkix.Name{} }, ""},
		"somebody else":            {func(r *x509.CertificateRequest) { r.Subject.CommonName = "admin" }, ""},
		"another part of the name": {func(r *x509.CertificateRequest) { r.Subject.OrganizationalUnit = []string{"x"} }, ""},
		"two common names":         {func(r *x509.CertificateRequest) { r.Subject.ExtraNames = twice("jdoe") }, ""},
		"somebody else's email":    {func(r *x509.CertificateRequest) { r.EmailAddresses = []string{"j.doe@example.org", "x@example.org"} }, ""},
		"a host name":              {func(r *x509.CertificateRequest) { r.DNSNames = []string{"example.org"} }, ""},
		"an address":               {func(r *x509.CertificateRequest) { r.IPAddresses = []net.IP{net.IPv4(192, 0, 2, 1)} }, ""},
		"a URI":                    {func(r *x509.CertificateRequest) { r.URIs = []*url.URL{{Scheme: "urn", Opaque: "x"}} }, ""},
		"a user principal name":    {func(r *x509.CertificateRequest) { r.ExtraExtensions = []pkix.Extension{otherName(t)} }, ""},
		"a wish to be a CA, passed": {func(r *x509.CertificateRequest) {
			r.ExtraExtensions = []pkix.Extension{{Id: asn1.ObjectIdentifier{2, 5, 29, 19}, Value: []byte{0x30, 3, 1, 1, 0xff}}}
		}, "JDoe"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			parsed, err := parseCSR(csr(t, c.change))
			if err != nil {
				t.Fatal(err)
			}
			got, err := OwnerPolicy.names(parsed, owner)
			if c.cn == "" {
				if !fault.Is(err, fault.CSRRejected) {
					t.Errorf("%v, want csr_rejected", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got.CommonName != c.cn || !slices.Equal(got.Emails, []string{"j.doe@example.org"}) ||
				len(got.DNSNames)+len(got.IPs)+len(got.URIs) > 0 {
				t.Errorf("names: %+v", got)
			}
		})
	}
}

func twice(cn string) []pkix.AttributeTypeAndValue {
	one := pkix.AttributeTypeAndValue{Type: oidCommonName, Value: cn}
	return []pkix.AttributeTypeAndValue{one, one}
}

// FuzzCSR: any CSR is either rejected with a reason or yields only the owner's names.
func FuzzCSR(f *testing.F) {
	f.Add(csr(f, func(*x509.CertificateRequest) {}))
	f.Add(csr(f, func(r *x509.CertificateRequest) { r.EmailAddresses = []string{"x@example.org"} }))
	f.Add("-----BEGIN CERTIFICATE REQUEST-----\nMAA=\n-----END CERTIFICATE REQUEST-----\n")
	f.Fuzz(func(t *testing.T, text string) {
		parsed, err := parseCSR(text)
		if err != nil {
			if !fault.Is(err, fault.InvalidRequest) {
				t.Errorf("%v, want invalid_request", err)
			}
			return
		}
		got, err := OwnerPolicy.names(parsed, owner)
		switch {
		case err != nil && !fault.Is(err, fault.CSRRejected):
			t.Errorf("%v, want csr_rejected", err)
		case err == nil && !strings.EqualFold(got.CommonName, "jdoe") && !strings.EqualFold(got.CommonName, "j.doe@example.org"):
			t.Error("a name that is not the owner's")
		}
	})
}

func TestReasons(t *testing.T) {
	t.Parallel()
	// RFC 5280, section 5.3.1.
	for name, code := range map[string]int{
		"unspecified": 0, "keyCompromise": 1, "cACompromise": 2, "affiliationChanged": 3, "superseded": 4,
		"cessationOfOperation": 5, "privilegeWithdrawn": 9, "aACompromise": 10,
	} {
		got, err := ParseReason(name)
		if err != nil || int(got) != code || ReasonName(got) != name {
			t.Errorf("%s: %d, %v, back %s", name, got, err, ReasonName(got))
		}
	}
	for _, name := range []string{"certificateHold", "removeFromCRL", "KeyCompromise", "6"} {
		if _, err := ParseReason(name); !fault.Is(err, fault.InvalidRequest) {
			t.Errorf("%s: %v, want invalid_request", name, err)
		}
	}
}
