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
	"io"
	"math/big"
	"sync"
	"testing"

	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
)

// RSAKey is a 2048-bit key that all cases share: making one is slow.
var RSAKey = sync.OnceValue(func() *rsa.PrivateKey { return mustRSA(2048) })

func mustRSA(bits int) *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, bits)
	if err != nil {
		panic(err)
	}
	return key
}

// NewCSR makes a CSR that asks for names and usages which no certificate may
// take over.
func NewCSR(t testing.TB, key crypto.Signer) vault.CSR {
	t.Helper()
	return must.Get(vault.ParseCSR(csrDER(t, key)))(t)
}

func csrDER(t testing.TB, key crypto.Signer) []byte {
	t.Helper()
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{
		Subject:        pkix.Name{CommonName: "from-the-csr", Organization: []string{"From The CSR"}},
		DNSNames:       []string{"from-the-csr.example"},
		EmailAddresses: []string{"from-the-csr@example.org"},
		ExtraExtensions: []pkix.Extension{
			{Id: []int{2, 5, 29, 19}, Critical: true, Value: []byte{0x30, 3, 1, 1, 0xff}}, // CA:TRUE
		},
	}, key)
	if err != nil {
		t.Fatal(err)
	}
	return der
}

func ecKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	return must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
}

// ROCAKey makes an RSA-2048 key as the vulnerable library did (Nemec et al.,
// 2017): primes k·M + (65537^a mod M), M the product of the first 126 primes.
func ROCAKey(t testing.TB) crypto.Signer {
	t.Helper()
	m := big.NewInt(1)
	for n, count := int64(2), 0; count < 126; n++ {
		if big.NewInt(n).ProbablyPrime(0) {
			m.Mul(m, big.NewInt(n))
			count++
		}
	}
	low := new(big.Int).Lsh(big.NewInt(3), 1022) // 0b11 on top, so that the product has 2048 bits
	return keyFromPrimes(t, 65537, func() *big.Int {
		for {
			a := new(big.Int).Exp(big.NewInt(65537), randomInt(t, m), m)
			k := new(big.Int).Div(low, m)
			k.Add(k, randomInt(t, new(big.Int).Rsh(k, 2)))
			p := k.Mul(k, m)
			p.Add(p, a)
			if p.BitLen() == 1024 && p.Bit(1022) == 1 && p.ProbablyPrime(20) {
				return p
			}
		}
	})
}

func keyFromPrimes(t testing.TB, e int64, next func() *big.Int) crypto.Signer {
	t.Helper()
	one, exponent := big.NewInt(1), big.NewInt(e)
	for range 1000 {
		p, q := next(), next()
		phi := new(big.Int).Mul(new(big.Int).Sub(p, one), new(big.Int).Sub(q, one))
		d := new(big.Int).ModInverse(exponent, phi)
		n := new(big.Int).Mul(p, q)
		if d == nil || n.BitLen() != 2048 {
			continue
		}
		return rawRSA{rsa.PublicKey{N: n, E: int(e)}, d}
	}
	t.Fatal("no key found")
	return nil
}

// rawRSA signs with keys that crypto/rsa refuses to use.
type rawRSA struct {
	public rsa.PublicKey
	d      *big.Int
}

func (k rawRSA) Public() crypto.PublicKey { return &k.public }

// sha256Info is the DigestInfo prefix of SHA-256 (RFC 8017, section 9.2).
const sha256Info = "\x30\x31\x30\x0d\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02\x01\x05\x00\x04\x20"

// Sign is RSASSA-PKCS1-v1_5 with SHA-256.
func (k rawRSA) Sign(_ io.Reader, digest []byte, _ crypto.SignerOpts) ([]byte, error) {
	size := (k.public.N.BitLen() + 7) / 8
	info := append([]byte(sha256Info), digest...)
	m := append([]byte{0, 1}, bytes.Repeat([]byte{0xff}, size-len(info)-3)...)
	m = append(append(m, 0), info...)
	s := new(big.Int).Exp(new(big.Int).SetBytes(m), k.d, k.public.N)
	return s.FillBytes(make([]byte, size)), nil
}

func randomInt(t testing.TB, below *big.Int) *big.Int {
	t.Helper()
	return must.Get(rand.Int(rand.Reader, below))(t)
}
