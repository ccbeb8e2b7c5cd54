package agent

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"math/big"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/tryout/vtoken"
	"github.com/keyward/keyward/test/must"
)

func parseCSR(t *testing.T, text any) *x509.CertificateRequest {
	t.Helper()
	block, rest := pem.Decode([]byte(text.(string)))
	if block == nil || block.Type != "CERTIFICATE REQUEST" || len(rest) != 0 {
		t.Fatalf("no PEM request: %v", text)
	}
	csr := must.Get(x509.ParseCertificateRequest(block.Bytes))(t)
	must.OK(t, csr.CheckSignature())
	return csr
}

// attested verifies the chain as the server does: slot certificate, intermediate,
// the host's root.
func attested(t *testing.T, h *vtoken.Host, csr *x509.CertificateRequest, list any) {
	t.Helper()
	texts := list.([]any)
	if len(texts) != 2 {
		t.Fatalf("%d attestation certificates, want 2", len(texts))
	}
	var certs []*x509.Certificate
	for _, text := range texts {
		block, _ := pem.Decode([]byte(text.(string)))
		c := must.Get(x509.ParseCertificate(block.Bytes))(t)
		certs = append(certs, c)
	}
	if !csr.PublicKey.(*rsa.PublicKey).Equal(certs[0].PublicKey) {
		t.Fatal("the attestation is for another key than the request")
	}
	must.OK(t, certs[0].CheckSignatureFrom(certs[1]))
	must.OK(t, certs[1].CheckSignatureFrom(h.Root().Certificate()))
}

// issue issues a certificate for a key.
func issue(t *testing.T, public any) string {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(0x0a0b), Subject: pkix.Name{CommonName: "test"},
		NotBefore: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), NotAfter: time.Date(2036, 1, 2, 3, 4, 5, 0, time.UTC),
	}
	der := must.Get(x509.CreateCertificate(rand.Reader, template, template, public, testKey()))(t)
	return encodePEM("CERTIFICATE", der)
}

// windowsReads checks the objects beside a first certificate: CHUID and CCC. The CCC, which is a token's
// identity, stays as it is at the next import.
func windowsReads(t *testing.T, a *testAgent, h *vtoken.Host, again m) {
	t.Helper()
	read := func(object string) string {
		return hex.EncodeToString(ykmanItself(t, h, "", "piv", "objects", "export", object, "-"))
	}
	const chuid, ccc = "0x5fc102", "0x5fc107"
	first := read(ccc)
	read(chuid)
	a.works(t, "/piv/import-certificate", again)
	if read(ccc) != first {
		t.Error("another CCC at the second import")
	}
}

// spkiHash returns the hex SHA-256 of a key's SubjectPublicKeyInfo.
func spkiHash(t *testing.T, key any) string {
	t.Helper()
	der := must.Get(x509.MarshalPKIXPublicKey(key))(t)
	sum := sha256.Sum256(der)
	return hex.EncodeToString(sum[:])
}
