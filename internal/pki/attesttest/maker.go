// Package attesttest makes attestations for tests: a token maker with its own root,
// which a server trusts by PKI_ATTESTATION_ROOTS_FILE.
package attesttest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/piv"
)

// RootName is the common name of a maker's root.
const RootName = "Test Maker Root"

// Maker makes tokens whose attestations chain to its root.
type Maker struct {
	rootPEM string
	f9      *x509.Certificate
	f9PEM   string
	key     crypto.Signer // F9's
}

// NewMaker returns a maker with a new root, named like those of all others.
func NewMaker(t testing.TB) *Maker {
	t.Helper()
	return NewMakerOf(t, RootName)
}

// NewMakerOf is NewMaker with another name for the root.
func NewMakerOf(t testing.TB, name string) *Maker {
	t.Helper()
	rootKey, f9Key := NewKey(t), NewKey(t)
	template := authority(name)
	template.MaxPathLen = 1
	root := sign(t, template, template, rootKey.Public(), rootKey)
	template = authority("Yubico PIV Attestation")
	template.MaxPathLenZero = true
	f9 := sign(t, template, root, f9Key.Public(), rootKey)
	return &Maker{rootPEM: text(root), f9: f9, f9PEM: text(f9), key: f9Key}
}

// RootFile writes the maker's root to a file, for PKI_ATTESTATION_ROOTS_FILE.
func (m *Maker) RootFile(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "attestation-roots.pem")
	if err := os.WriteFile(path, []byte(m.rootPEM), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Key is a key on one of the maker's tokens.
type Key struct {
	Public   crypto.PublicKey
	Serial   string // a number; empty: none
	Slot     piv.Slot
	Firmware piv.Version // zero: 5.4.3
}

// Attest makes the attestation of a key: PIN once per session, no touch, on a USB-A keychain.
func (m *Maker) Attest(t testing.TB, k Key) []string {
	t.Helper()
	if k.Firmware == (piv.Version{}) {
		k.Firmware = piv.Version{5, 4, 3}
	}
	values := map[int][]byte{3: k.Firmware[:], 8: {2, 1}, 9: {1}}
	if k.Serial != "" {
		serial, err := strconv.ParseUint(k.Serial, 10, 32)
		if err == nil {
			values[7], err = asn1.Marshal(int64(serial))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	template := &x509.Certificate{Subject: pkix.Name{CommonName: "YubiKey PIV Attestation " + string(k.Slot)}}
	for _, last := range []int{3, 7, 8, 9} {
		if value, ok := values[last]; ok {
			template.ExtraExtensions = append(template.ExtraExtensions,
				pkix.Extension{Id: asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 41482, 3, last}, Value: value})
		}
	}
	return []string{text(sign(t, template, m.f9, k.Public, m.key)), m.f9PEM}
}

// NewKey generates a P-256 key.
func NewKey(t testing.TB) crypto.Signer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func authority(name string) *x509.Certificate {
	return &x509.Certificate{
		Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
}

func sign(t testing.TB, template, parent *x509.Certificate, key crypto.PublicKey, by crypto.Signer) *x509.Certificate {
	t.Helper()
	template.SerialNumber, template.NotBefore, template.NotAfter = big.NewInt(1), time.Unix(0, 0), time.Unix(1<<32, 0)
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key, by)
	if err != nil {
		t.Fatal(err)
	}
	c, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func text(c *x509.Certificate) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw}))
}
