package smtpserver

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/keyward/keyward/test/must"
)

// certificate creates a self-signed one: as PEM, and in files, with its key.
func certificate(t testing.TB, dir string) (text, cert, key string) {
	t.Helper()
	private := must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "SMTP server of a test"}, IPAddresses: []net.IP{net.ParseIP(Host)},
		DNSNames: []string{"localhost"}, NotBefore: now.AddDate(0, 0, -1), NotAfter: now.AddDate(1, 0, 0),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der := must.Get(x509.CreateCertificate(rand.Reader, template, template, private.Public(), private))(t)
	secret := must.Get(x509.MarshalPKCS8PrivateKey(private))(t)
	text = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	cert, key = filepath.Join(dir, "smtp.crt"), filepath.Join(dir, "smtp.key")
	must.OK(t, os.WriteFile(cert, []byte(text), 0o600))
	must.OK(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600))
	return text, cert, key
}
