package vaulttest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"slices"
	"testing"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
)

// RunKeys checks an engine that certifies keys of all types: each by each profile that such a key can
// have.
func RunKeys(t *testing.T, h Harness) {
	curve := func(c elliptic.Curve) crypto.Signer { return must.Get(ecdsa.GenerateKey(c, rand.Reader))(t) }
	_, edwards, err := ed25519.GenerateKey(rand.Reader)
	must.OK(t, err)
	for _, key := range []crypto.Signer{RSAKey(), mustRSA(3072), mustRSA(4096), curve(elliptic.P256()), curve(elliptic.P384()), edwards} {
		kind := piv.KeyTypeOf(key.Public())
		for _, usage := range slices.Concat([]vault.Usage{vault.DefaultUsage(key.Public())}, builtin) {
			if usage.Key == x509.KeyUsageKeyEncipherment { // RFC 5480, section 3; RFC 8410, section 5
				switch kind.Algorithm() {
				case "ec":
					usage.Key = x509.KeyUsageKeyAgreement
				case "ed25519":
					continue
				}
			}
			_, cert := sign(t, h, vault.SignRequest{CSR: NewCSR(t, key), CommonName: "zoe", Usage: usage})
			if !piv.SameKey(cert.PublicKey, key.Public()) || cert.KeyUsage != usage.Key || len(purposesOf(cert)) != len(usage.Purposes) {
				t.Errorf("%s, %s: key usage %b, extended %v", kind, usage.Profile, cert.KeyUsage, purposesOf(cert))
			}
		}
	}
}

// purposesOf are a certificate's extended key usages, dotted.
func purposesOf(cert *x509.Certificate) (list []string) {
	for _, u := range cert.ExtKeyUsage {
		list = append(list, u.OID().String())
	}
	for _, u := range cert.UnknownExtKeyUsage {
		list = append(list, u.String())
	}
	slices.Sort(list)
	return list
}
