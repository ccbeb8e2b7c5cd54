package s3server

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/keyward/keyward/test/must"
)

// Trusting returns a client's TLS that checks no certificate.
func Trusting() *tls.Config {
	return &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS12}
}

// NoLog is for servers whose clients disconnect on purpose.
func NoLog() *log.Logger { return log.New(io.Discard, "", 0) }

// Outdated returns the TLS of a server on loopback with an expired certificate.
func Outdated(t testing.TB) *tls.Config {
	t.Helper()
	der, key, err := newCertificate("127.0.0.1", time.Now().AddDate(0, 0, -1))
	must.OK(t, err)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}, MinVersion: tls.VersionTLS12}
}

// newCertificate returns a self-signed certificate, DER, and its key.
func newCertificate(address string, until time.Time) ([]byte, *ecdsa.PrivateKey, error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "S3 of a test"}, IPAddresses: []net.IP{net.ParseIP(address)},
		NotBefore: until.AddDate(-1, 0, 0), NotAfter: until,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	return der, private, err
}

// newPair writes a certificate and its key.
func newPair(dir, address string) (cert, key string, err error) {
	der, private, err := newCertificate(address, time.Now().AddDate(0, 6, 0))
	if err != nil {
		return "", "", err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return "", "", err
	}
	cert, key = filepath.Join(dir, "s3.crt"), filepath.Join(dir, "s3.key")
	return cert, key, errors.Join(
		os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600),
		os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600),
	)
}
