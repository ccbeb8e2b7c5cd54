package ocsp_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"testing"

	"github.com/keyward/keyward/internal/ocsp"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
)

// FuzzParse: no request makes the parser panic, and what it reads is within its limits.
func FuzzParse(f *testing.F) {
	key := must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(f)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "CA"}, IsCA: true, BasicConstraintsValid: true}
	ca := must.Get(x509.ParseCertificate(must.Get(x509.CreateCertificate(rand.Reader, template, template, key.Public(), key))(f)))(f)
	id := certID(f, ca, crypto.SHA1, "0a01")
	f.Add(request(f, nil, id))
	f.Add(request(f, []byte("nonce"), id, certID(f, ca, crypto.SHA256, "ff")))
	f.Fuzz(func(t *testing.T, der []byte) {
		ids, nonce, err := ocsp.Parse(der)
		if err != nil {
			return
		}
		if len(ids) == 0 || len(ids) > 64 || len(nonce) > 128 {
			t.Fatalf("%d certificates, a nonce of %d", len(ids), len(nonce))
		}
		for _, serial := range ids {
			if serial != "" {
				must.Get(vault.ParseSerial(serial))(t)
			}
		}
	})
}
