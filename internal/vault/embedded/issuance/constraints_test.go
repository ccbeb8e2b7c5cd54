package issuance

import (
	"crypto"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/vaulttest"
	"github.com/keyward/keyward/test/must"
)

// imported makes the PEM of a CA below a root, each as a template says.
func imported(t testing.TB, root, ca func(*x509.Certificate)) ([]*x509.Certificate, error) {
	t.Helper()
	plain := func(cn string) *x509.Certificate {
		return &x509.Certificate{
			SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: cn}, NotBefore: noon.Add(-time.Hour), NotAfter: noon.Add(time.Hour),
			IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign, SubjectKeyId: []byte(cn),
		}
	}
	_, rootKey := must.Both(NewRoot(piv.ECP256, "a", noon))(t)
	_, caKey := must.Both(NewRoot(piv.ECP256, "a", noon))(t)
	above, below := plain("Root"), plain("Issuing")
	root(above)
	ca(below)
	issue := func(template, parent *x509.Certificate, public crypto.PublicKey) *x509.Certificate {
		der := must.Get(x509.CreateCertificate(rand.Reader, template, parent, public, rootKey))(t)
		return must.Get(x509.ParseCertificate(der))(t)
	}
	aboveCert := issue(above, above, rootKey.Public())
	belowCert := issue(below, aboveCert, caKey.Public())
	chain := []*x509.Certificate{belowCert, aboveCert}
	return chain, CheckCA(chain, caKey)
}

func unlimited(*x509.Certificate) {}

// nameConstraints makes the extension with one permitted subtree.
func nameConstraints(t testing.TB, critical bool, base asn1.RawValue) pkix.Extension {
	t.Helper()
	value := must.Get(asn1.Marshal(struct {
		Permitted []struct{ Base asn1.RawValue } `asn1:"optional,tag:0"`
	}{[]struct{ Base asn1.RawValue }{{base}}}))(t)
	return pkix.Extension{Id: []int{2, 5, 29, 30}, Critical: critical, Value: value}
}

// TestImportedCAThatForbidsWhatIsSigned: an imported CA whose certificates no verifier would accept
// is refused at the start.
func TestImportedCAThatForbidsWhatIsSigned(t *testing.T) {
	t.Parallel()
	directory := asn1.RawValue{Class: asn1.ClassContextSpecific, Tag: 4, IsCompound: true, Bytes: []byte{0x30, 0}}
	both := []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageEmailProtection}
	for name, c := range map[string]struct {
		change func(*x509.Certificate)
		want   string
	}{
		"no limits":          {unlimited, ""},
		"our usages":         {func(c *x509.Certificate) { c.ExtKeyUsage = append(both[:2:2], x509.ExtKeyUsageOCSPSigning) }, ""},
		"any usage":          {func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageAny} }, ""},
		"for servers alone":  {func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth} }, "EKU"},
		"without email":      {func(c *x509.Certificate) { c.ExtKeyUsage = both[:1] }, ""},
		"email alone":        {func(c *x509.Certificate) { c.ExtKeyUsage = both[1:] }, "EKU"},
		"an unknown usage":   {func(c *x509.Certificate) { c.UnknownExtKeyUsage = []asn1.ObjectIdentifier{{1, 2, 3}} }, "EKU"},
		"emails of a domain": {func(c *x509.Certificate) { c.PermittedEmailAddresses = []string{"example.org"} }, ""},
		"directory names": {func(c *x509.Certificate) {
			c.ExtraExtensions = []pkix.Extension{nameConstraints(t, true, directory)}
		}, "directory names"},
		"directory names, not critical": {func(c *x509.Certificate) {
			c.ExtraExtensions = []pkix.Extension{nameConstraints(t, false, directory)}
		}, "directory names"},
		"an unknown critical extension": {func(c *x509.Certificate) {
			c.ExtraExtensions = []pkix.Extension{{Id: []int{1, 2, 3}, Critical: true, Value: []byte{5, 0}}}
		}, "critical extension"},
		"policies are demanded": {func(c *x509.Certificate) {
			c.ExtraExtensions = []pkix.Extension{{Id: []int{2, 5, 29, 36}, Critical: true, Value: []byte{0x30, 3, 0x80, 1, 0}}}
		}, "policies"},
	} {
		for which, change := range map[string][2]func(*x509.Certificate){"the CA": {unlimited, c.change}, "the root": {c.change, unlimited}} {
			_, err := imported(t, change[0], change[1])
			if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, vault.ErrInvalid) || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%s of %s: %v, want %q", name, which, err, c.want)
			}
		}
	}
	none := func(c *x509.Certificate) { c.MaxPathLenZero = true }
	if _, err := imported(t, unlimited, none); err != nil {
		t.Errorf("no CA below the CA: %v", err)
	}
	if _, err := imported(t, none, unlimited); err == nil || !strings.Contains(err.Error(), "path length") {
		t.Errorf("no CA below the root: %v", err)
	}
}

// TestNamesThatTheCAMayNotSign: names are checked against the constraints of the CA and of those
// above it.
func TestNamesThatTheCAMayNotSign(t *testing.T) {
	t.Parallel()
	emails := func(c *x509.Certificate) {
		c.PermittedEmailAddresses, c.ExcludedEmailAddresses = []string{"example.org"}, []string{"root@example.org"}
	}
	others := func(c *x509.Certificate) {
		c.PermittedDNSDomains, c.ExcludedURIDomains = []string{"example.org"}, []string{".example.com"}
		c.ExcludedIPRanges = []*net.IPNet{{IP: net.IPv4(192, 0, 2, 0).To4(), Mask: net.CIDRMask(24, 32)}}
	}
	chain := must.Get(imported(t, others, emails))(t)
	_, key := must.Both(NewRoot(piv.ECP256, "a", noon))(t)
	i := must.Get(NewIssuer(chain, key, Profile{KeyTypes: []piv.KeyType{piv.RSA2048}, MaxTTL: time.Hour}))(t)
	csr := vaulttest.NewCSR(t, vaulttest.RSAKey())
	for name, c := range map[string]struct {
		request vault.SignRequest
		good    bool
	}{
		"a good email":              {vault.SignRequest{Emails: []string{"ann@example.org"}}, true},
		"an email of elsewhere":     {vault.SignRequest{Emails: []string{"ann@example.com"}}, false},
		"of a host below":           {vault.SignRequest{Emails: []string{"ann@mail.example.org"}}, false},
		"an excluded mailbox":       {vault.SignRequest{Emails: []string{"root@example.org"}}, false},
		"a good and a bad one":      {vault.SignRequest{Emails: []string{"ann@example.org", "ann@example.com"}}, false},
		"no names":                  {vault.SignRequest{}, true},
		"a good host":               {vault.SignRequest{DNSNames: []string{"a.example.org"}}, true},
		"a host of elsewhere":       {vault.SignRequest{DNSNames: []string{"example.net"}}, false},
		"a good address":            {vault.SignRequest{IPs: []string{"198.51.100.1"}}, true},
		"an excluded address":       {vault.SignRequest{IPs: []string{"192.0.2.7"}}, false},
		"a URI":                     {vault.SignRequest{URIs: []string{"https://example.org/a"}}, true},
		"a URI of an excluded host": {vault.SignRequest{URIs: []string{"https://a.example.com/a"}}, false},
	} {
		c.request.CSR, c.request.CommonName = csr, "ann"
		_, err := i.Lint(c.request, noon)
		f, _ := fault.As(err)
		if c.good && err != nil || !c.good && (f == nil || f.Code != fault.CSRRejected || f.Reason != "name_constraints") {
			t.Errorf("%s: %v, want good: %v", name, err, c.good)
		}
	}
}
