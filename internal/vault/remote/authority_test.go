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
		err := newAuthority(chain).vouches(c.by.issues(t, "zoe", false, nil).cert)
		if (err == nil) != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestFirst: the first CA is the one with the addresses without an ID, or else the oldest that issues no
// other and has no addresses with its own.
func TestFirst(t *testing.T) {
	t.Parallel()
	age := func(d time.Duration) func(*x509.Certificate) {
		return func(c *x509.Certificate) { c.NotBefore = c.NotBefore.Add(-d) }
	}
	var none *issuer
	root := none.issues(t, "Root", true, age(3*time.Minute))
	below := newAuthority([]*x509.Certificate{root.issues(t, "CA", true, age(2*time.Minute)).cert, root.cert})
	above := newAuthority([]*x509.Certificate{root.cert})
	late := newAuthority([]*x509.Certificate{none.issues(t, "Late", true, nil).cert})
	const base, first, later = "https://keys.example.org", "/api/pki/crl", "/api/pki/crl/"
	for name, c := range map[string]struct {
		all                   []*authority
		aboves, belows, lates string
		want                  *authority
	}{
		"alone":                     {all: []*authority{late}, want: late},
		"alone, with its own":       {all: []*authority{late}, lates: later + late.id},
		"alone, with others":        {all: []*authority{late}, lates: "/crl", want: late},
		"the root of it":            {all: []*authority{above, below}, want: below},
		"not the default issuer":    {all: []*authority{late, below}, want: late},
		"older":                     {all: []*authority{above, late, below}, want: below},
		"older, with its own":       {all: []*authority{late, below}, belows: later + below.id, want: late},
		"said to be":                {all: []*authority{below, late, above}, lates: first, want: late},
		"both said to be":           {all: []*authority{below, late}, lates: first, belows: first, want: below},
		"another's addresses":       {all: []*authority{late}, lates: later + below.id, want: late},
		"each with its own":         {all: []*authority{late, below}, lates: later + late.id, belows: later + below.id},
		"the root, if it was first": {all: []*authority{below, above}, aboves: first, want: above},
	} {
		for a, crl := range map[*authority]string{above: c.aboves, below: c.belows, late: c.lates} {
			if a.crls = nil; crl != "" {
				a.crls = []string{base + crl}
			}
		}
		want := ""
		if c.want != nil {
			want = c.want.id
		}
		if got := firstOf(c.all, ""); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
