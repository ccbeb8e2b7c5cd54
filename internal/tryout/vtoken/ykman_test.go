//go:build exhaustive

package vtoken_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/tryout/vtoken"
	"github.com/keyward/keyward/test/must"
)

const (
	factoryManagement = "010203040506070801020304050607080102030405060708"
	aesManagement     = "a1a2a3a4a5a6a7a8b1b2b3b4b5b6b7b8c1c2c3c4c5c6c7c8"
)

// piv runs "ykman -d 20260001 piv …".
func (d desk) piv(input []string, args ...string) string {
	d.t.Helper()
	return d.run(input, "ykman", append([]string{"-d", "20260001", "piv"}, args...)...)
}

func (d desk) file(name string, content []byte) string {
	d.t.Helper()
	path := filepath.Join(d.home, name)
	must.OK(d.t, os.WriteFile(path, content, 0o600))
	return path
}

func fromPEM(t *testing.T, text, kind string) []byte {
	t.Helper()
	block, _ := pem.Decode([]byte(text))
	if block == nil || block.Type != kind {
		t.Fatalf("no %s in:\n%s", kind, text)
	}
	return block.Bytes
}

func toPEM(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}

// issuer signs certificates for the tests' CSRs.
func issuer(t *testing.T, pub any) []byte {
	t.Helper()
	ca := must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(42), Subject: pkix.Name{CommonName: "Ada Lovelace"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	parent := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Test CA"}}
	return must.Get(x509.CreateCertificate(rand.Reader, template, parent, pub, ca))(t)
}

// The whole life of a token, as a user with ykman experiences it.
func TestYkmanLifeCycle(t *testing.T) {
	t.Parallel()
	d := setup(t, vtoken.Options{})
	holds(t, d.run(nil, "ykman", "list"), "5.4.3", "Serial: 20260001")
	holds(t, d.run(nil, "ykman", "-d", "20260001", "info"), "Firmware version: 5.4.3", "Serial number: 20260001")
	holds(t, d.piv(nil, "info"), "PIN tries remaining: 3/3", "Using default PIN", "algorithm: TDES")

	d.piv(lines("123456", "428193"), "access", "change-pin")
	d.piv(lines("12345678", "87654321"), "access", "change-puk")
	d.piv(lines(factoryManagement, aesManagement), "access", "change-management-key", "-a", "AES192")
	holds(t, d.piv(nil, "info"), "algorithm: AES192")

	ykmanEnrols(t, d)
	ykmanBlocksAndUnblocks(t, d)

	d.piv(lines(aesManagement, factoryManagement), "access", "change-management-key", "-a", "TDES")
	d.piv(lines(factoryManagement, "555555", "y"), "access", "set-retries", "5", "4")
	holds(t, d.piv(nil, "info"), "PIN tries remaining: 5/5", "Using default PIN")
	d.piv(nil, "reset", "-f")
	holds(t, d.piv(nil, "info"), "PIN tries remaining: 3/3", "Using default PIN", "algorithm: TDES")
	d.fails("", nil, "ykman", "-d", "20260001", "piv", "certificates", "export", "9a", "-")
}

// ykmanEnrols generates a key, a CSR and an attestation, and imports a certificate.
func ykmanEnrols(t *testing.T, d desk) {
	public := d.piv(lines(aesManagement), "keys", "generate", "-a", "RSA2048", "9a", "-")
	key := must.Get(x509.ParsePKIXPublicKey(fromPEM(t, public, "PUBLIC KEY")))(t)
	request := d.piv(lines("428193"), "certificates", "request", "-s", "CN=Ada Lovelace", "9a", d.file("pub.pem", []byte(public)), "-")
	csr := must.Get(x509.ParseCertificateRequest(fromPEM(t, request, "CERTIFICATE REQUEST")))(t)
	if err := csr.CheckSignature(); err != nil {
		t.Errorf("the CSR's signature is wrong: %v", err)
	}
	if !bytes.Equal(csr.RawSubjectPublicKeyInfo, fromPEM(t, public, "PUBLIC KEY")) {
		t.Error("the CSR is about another key")
	}
	checkAttestation(t, d, d.piv(nil, "keys", "attest", "9a", "-"), csr.RawSubjectPublicKeyInfo)

	cert := issuer(t, key)
	d.piv(lines(aesManagement, "428193"), "certificates", "import", "-v", "9a", d.file("cert.pem", toPEM("CERTIFICATE", cert)))
	if got := fromPEM(t, d.piv(nil, "certificates", "export", "9a", "-"), "CERTIFICATE"); !bytes.Equal(got, cert) {
		t.Error("another certificate came back")
	}
	// With -v, which signs with the slot's key, a certificate for another key is
	// refused.
	other := must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	d.file("other.pem", toPEM("CERTIFICATE", issuer(t, other.Public())))
	d.fails("", lines(aesManagement, "428193"), "ykman", "piv", "certificates", "import", "-v", "9a", "other.pem")

	raw := must.Get(x509.MarshalPKCS8PrivateKey(other))(t)
	d.piv(lines(aesManagement), "keys", "import", "9d", d.file("key.pem", toPEM("PRIVATE KEY", raw)))
	d.piv(lines(aesManagement, "428193"), "certificates", "import", "-v", "9d", "other.pem")
	d.fails("", nil, "ykman", "piv", "keys", "attest", "9d", "-") // imported, not generated here
	holds(t, d.piv(nil, "info"), "Slot 9a", "Slot 9d", "Ada Lovelace", "RSA2048", "ECCP256")
}

// checkAttestation verifies the chain from the exported root down.
func checkAttestation(t *testing.T, d desk, text string, publicKey []byte) {
	t.Helper()
	cert := must.Get(x509.ParseCertificate(fromPEM(t, text, "CERTIFICATE")))(t)
	roots, between := x509.NewCertPool(), x509.NewCertPool()
	roots.AppendCertsFromPEM(d.Root().PEM())
	between.AppendCertsFromPEM([]byte(d.piv(nil, "certificates", "export", "f9", "-")))
	if _, err := cert.Verify(x509.VerifyOptions{Roots: roots, Intermediates: between}); err != nil {
		t.Error(err)
	}
	if !bytes.Equal(cert.RawSubjectPublicKeyInfo, publicKey) {
		t.Error("the attestation is about another key")
	}
}

func ykmanBlocksAndUnblocks(_ *testing.T, d desk) {
	wrong := lines("999999", "111111")
	d.fails("2 tries left", wrong, "ykman", "piv", "access", "change-pin")
	d.fails("1 tries left", wrong, "ykman", "piv", "access", "change-pin")
	d.fails("", wrong, "ykman", "piv", "access", "change-pin")
	d.fails("PIN is blocked", wrong, "ykman", "piv", "access", "change-pin")
	d.fails("2 tries left", lines("00000000", "555555"), "ykman", "piv", "access", "unblock-pin")
	d.piv(lines("87654321", "555555"), "access", "unblock-pin")
	d.piv(lines("555555", "428193"), "access", "change-pin")
	d.piv(lines("428193", "555555"), "access", "change-pin")
}
