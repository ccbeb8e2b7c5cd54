package applet

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"time"

	"github.com/keyward/keyward/internal/durable"
)

// rootLife is the validity of a test root and of what it signs.
const rootLife = 30 * 365 * 24 * time.Hour

// Root is a test root for attestation, in place of Yubico's PIV root for real tokens; a
// server must be configured to trust it.
type Root struct {
	key  crypto.Signer
	cert *x509.Certificate
}

// NewRoot returns a root with a fresh P-256 key.
func NewRoot(now time.Time) (*Root, error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	// With equal names, a certificate of an untrusted root would look like a forgery of
	// the other's.
	template := authority("Keyward Virtual Token Test Root "+rand.Text()[:8], now)
	template.MaxPathLen = 1
	raw, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(raw)
	return &Root{private, cert}, err
}

// LoadRoot reads the root from a file, or creates the file (mode 0600) with a new root.
// Concurrent calls by several processes get the same root.
func LoadRoot(path string, now time.Time) (*Root, error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := createRoot(path, now); err != nil {
			return nil, fmt.Errorf("making the attestation root: %w", err)
		}
		raw, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, err
	}
	root, err := parseRoot(raw)
	if err != nil {
		return nil, fmt.Errorf("%s is not an attestation root; remove it to get a new one: %w", path, err)
	}
	return root, nil
}

// createRoot writes a new root, unless another process was first.
func createRoot(path string, now time.Time) error {
	root, err := NewRoot(now)
	if err != nil {
		return err
	}
	private, err := x509.MarshalPKCS8PrivateKey(root.key)
	if err != nil {
		return err
	}
	raw := append(root.PEM(), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})...)
	if err := durable.Create(path, raw); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

func parseRoot(raw []byte) (*Root, error) {
	first, rest := pem.Decode(raw)
	second, _ := pem.Decode(rest)
	if first == nil || second == nil {
		return nil, errors.New("two PEM blocks were expected")
	}
	cert, err := x509.ParseCertificate(first.Bytes)
	if err != nil {
		return nil, err
	}
	private, err := x509.ParsePKCS8PrivateKey(second.Bytes)
	if err != nil {
		return nil, err
	}
	signer, ok := private.(crypto.Signer)
	if !ok {
		return nil, errors.New("the key cannot sign")
	}
	return &Root{signer, cert}, nil
}

// PEM returns the root's certificate, without its key.
func (r *Root) PEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: r.cert.Raw})
}

// Certificate returns the root's certificate. Callers must not change it.
func (r *Root) Certificate() *x509.Certificate { return r.cert }

// issue signs the attestation certificate (slot F9) of one token.
func (r *Root) issue(pub crypto.PublicKey, now time.Time) ([]byte, error) {
	template := authority("Yubico PIV Attestation", now)
	template.MaxPathLenZero = true
	if template.NotAfter.After(r.cert.NotAfter) {
		template.NotAfter = r.cert.NotAfter
	}
	return x509.CreateCertificate(rand.Reader, template, r.cert, pub, r.key)
}

// authority returns the template of a CA certificate.
func authority(name string, now time.Time) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber:          serialNumber(),
		Subject:               pkix.Name{CommonName: name},
		NotBefore:             now.Add(-24 * time.Hour).UTC(),
		NotAfter:              now.Add(rootLife).UTC(),
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
	}
}

// serialNumber is random, positive and at most 16 bytes (RFC 5280, 4.1.2.2).
func serialNumber() *big.Int {
	raw := make([]byte, 16)
	_, _ = rand.Read(raw)
	raw[0] &= 0x7F
	raw[15] |= 1
	return new(big.Int).SetBytes(bytes.Clone(raw))
}
