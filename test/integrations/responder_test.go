//go:build exhaustive

package integrations_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/crypto/ocsp"

	"github.com/keyward/keyward/test/must"
)

// liar is a CA with a responder that answers otherwise at each of its addresses.
type liar struct {
	ca   string // its certificate, a file
	cert *x509.Certificate
	key  crypto.Signer
}

// lie is how an answer is wrong. "good" is not.
type lie string

var lies = []lie{"good", "forged", "unappointed", "expired", "foreign"}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	return must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
}

func newLiar(t *testing.T) *liar {
	t.Helper()
	l := &liar{key: newKey(t)}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "A CA of the test"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
	}
	der := must.Get(x509.CreateCertificate(rand.Reader, template, template, l.key.Public(), l.key))(t)
	l.cert = must.Get(x509.ParseCertificate(der))(t)
	l.ca = writePEM(t, der)
	return l
}

// issue makes a certificate that names an address; a person's, which signs no answers of the CA's.
func (l *liar) issue(t *testing.T, serial int64, address string) (*x509.Certificate, crypto.Signer) {
	t.Helper()
	key := newKey(t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "jdoe"}, OCSPServer: []string{address},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	der := must.Get(x509.CreateCertificate(rand.Reader, template, l.cert, key.Public(), l.key))(t)
	return must.Get(x509.ParseCertificate(der))(t), key
}

// answers starts a responder for a new certificate, and returns who has it.
func (l *liar) answers(t *testing.T, how lie) holder {
	t.Helper()
	var answer []byte
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/ocsp-response")
		_, _ = w.Write(answer)
	}))
	t.Cleanup(s.Close)
	cert, key := l.issue(t, 100, s.URL)
	says := ocsp.Response{
		Status: ocsp.Good, SerialNumber: cert.SerialNumber,
		ThisUpdate: time.Now().Add(-time.Hour), NextUpdate: time.Now().Add(time.Hour),
	}
	signer, by := l.key, l.cert
	switch how {
	case "forged":
		signer = newKey(t)
	case "unappointed":
		signer, by, says.Certificate = key, cert, cert
	case "expired":
		says.ThisUpdate, says.NextUpdate = time.Now().Add(-3*time.Hour), time.Now().Add(-2*time.Hour)
	case "foreign":
		says.SerialNumber = big.NewInt(101)
	}
	answer = must.Get(ocsp.CreateResponse(l.cert, by, says, signer))(t)
	return holder{writePEM(t, cert.Raw), l.ca}
}

func writePEM(t *testing.T, der []byte) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "cert.pem")
	must.OK(t, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	return file
}
