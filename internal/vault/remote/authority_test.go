package remote

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"testing"
	"time"

	"github.com/keyward/keyward/test/must"
)

// issuer is a CA with its key.
type issuer struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// issues signs a certificate, of a CA when ca is true; nil signs its own.
func (by *issuer) issues(t *testing.T, name string, ca bool, change func(*x509.Certificate)) *issuer {
	t.Helper()
	made := &issuer{key: must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Minute),
		NotAfter: time.Now().Add(time.Hour), IsCA: ca, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}, EmailAddresses: []string{"zoe@example.org"},
	}
	if ca {
		template.KeyUsage, template.ExtKeyUsage, template.EmailAddresses = x509.KeyUsageCertSign, nil, nil
	}
	if change != nil {
		change(template)
	}
	if by == nil {
		by = &issuer{template, made.key}
	}
	der := must.Get(x509.CreateCertificate(rand.Reader, template, by.cert, made.key.Public(), by.key))(t)
	made.cert = must.Get(x509.ParseCertificate(der))(t)
	return made
}

// TestVouches: a CA vouches for what it signed itself and others accept.
func TestVouches(t *testing.T) {
	t.Parallel()
	elsewhere := func(c *x509.Certificate) { c.PermittedEmailAddresses = []string{"elsewhere.example"} }
	var none *issuer
	root := none.issues(t, "Root", true, nil)
	ca := root.issues(t, "CA", true, nil)
	bound := root.issues(t, "Bound", true, elsewhere)
	namesake := root.issues(t, "CA", true, nil)
	for name, c := range map[string]struct {
		ca, by *issuer
		want   bool
	}{
		"its own":                 {ca, ca, true},
		"of the root itself":      {root, root, true},
		"of the root above it":    {ca, root, false},
		"of another of its name":  {ca, namesake, false},
		"outside its constraints": {bound, bound, false},
	} {
		chain := []*x509.Certificate{c.ca.cert}
		if c.ca != root {
			chain = append(chain, root.cert)
		}
		err := newAuthority(chain, time.Now()).vouches(c.by.issues(t, "zoe", false, nil).cert)
		if (err == nil) != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}
