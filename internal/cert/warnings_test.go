package cert

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/test/must"
)

// TestWarnings: what a CSR of openssl asks for in vain is named, each once; and a
// certificate that ends with its CA is.
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
		"The CSR asks for the extended key usage 1.3.6.1.5.2.3.4, which the certificate doesn't have.",
		"The CSR asks for the basic constraint CA:TRUE, which the certificate doesn't have.",
		"The CSR asks for the extension 1.3.6.1.4.1.311.20.2, which the certificate doesn't have.",
	}
	named := func(c *x509.Certificate) { c.Subject = pkix.Name{CommonName: "JDoe"} }
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
