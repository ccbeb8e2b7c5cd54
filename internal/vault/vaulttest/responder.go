package vaulttest

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"slices"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
)

var responderCases = []testCase{
	{"OCSP signer with an EC key", func(t *testing.T, h Harness) {
		responder(t, h, must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t))
	}},
	{"OCSP signer with an RSA key", func(t *testing.T, h Harness) {
		responder(t, h, must.Get(rsa.GenerateKey(rand.Reader, 2048))(t))
	}},
}

// responder has a key certified to sign OCSP answers, and for nothing else.
func responder(t *testing.T, h Harness, key crypto.Signer) {
	t.Helper()
	ca := must.Get(x509.ParseCertificate(active(t, h).Chain[0]))(t)
	cert := must.Get(h.Engine.IssueResponder(t.Context(), vault.Active, key))(t)
	must.OK(t, cert.CheckSignatureFrom(ca))
	if !piv.SameKey(cert.PublicKey, key.Public()) || cert.IsCA || cert.KeyUsage != x509.KeyUsageDigitalSignature ||
		!slices.Equal(cert.ExtKeyUsage, []x509.ExtKeyUsage{x509.ExtKeyUsageOCSPSigning}) || len(cert.UnknownExtKeyUsage) > 0 {
		t.Errorf("key or usages: %+v", cert)
	}
	if life := cert.NotAfter.Sub(cert.NotBefore); life > vault.ResponderTTL+2*time.Hour || life < vault.ResponderTTL {
		t.Errorf("valid for %v", life)
	}
	if !slices.ContainsFunc(cert.Extensions, func(x pkix.Extension) bool {
		return x.Id.Equal(vault.NoCheck().Id) && !x.Critical && bytes.Equal(x.Value, []byte{5, 0})
	}) {
		t.Error("it has no id-pkix-ocsp-nocheck")
	}
	serial := vault.SerialOf(cert.SerialNumber)
	if lister, ok := h.Engine.(vault.IssuedLister); ok {
		must.OK(t, lister.Issued(t.Context(), func(issued string) error {
			if issued == serial {
				t.Error("it is on the list of what was issued to people")
			}
			return nil
		}))
	}
}
