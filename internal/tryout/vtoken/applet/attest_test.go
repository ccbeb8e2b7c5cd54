package applet_test

import (
	"bytes"
	"crypto/x509"
	"math/big"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/tryout/vtoken/applet"
	"github.com/keyward/keyward/test/must"
)

// The chain is verified as a server would: the exported root, the certificate in object
// 5FFF01, the certificate from ATTEST.
func TestAttestation(t *testing.T) {
	t.Parallel()
	root := must.Get(applet.NewRoot(time.Now()))(t)
	c := setup(t, firmware(t, "5.7.1"), func(o *applet.Options) { o.Root = root })
	if sw := c.manage(0x0A, factoryKey); sw != 0x9000 {
		t.Fatalf("%04X", sw)
	}
	roots, issuers := x509.NewCertPool(), x509.NewCertPool()
	if !roots.AppendCertsFromPEM(root.PEM()) {
		t.Fatal("the exported root is no PEM certificate")
	}
	device := c.must(0xCB, 0x3F, 0xFF, tlv(0x5C, []byte{0x5F, 0xFF, 0x01}))
	issuer := must.Get(x509.ParseCertificate(value(t, device, 0x53, 0x70)))(t)
	issuers.AddCert(issuer)

	for _, alg := range []byte{0x07, 0x11, 0x14, 0xE0} {
		pub := c.generate(0x9A, alg, tlv(0xAA, []byte{3}), tlv(0xAB, []byte{3}))
		cert := must.Get(x509.ParseCertificate(c.must(0xF9, 0x9A, 0, nil)))(t)
		if _, err := cert.Verify(x509.VerifyOptions{Roots: roots, Intermediates: issuers}); err != nil {
			t.Errorf("algorithm %02X: %v", alg, err)
		}
		tag := 0x86
		if alg == 0x07 {
			tag = 0x81
		}
		if bits := value(t, pub, tag); !bytes.Contains(cert.RawSubjectPublicKeyInfo, bits) {
			t.Errorf("algorithm %02X: the certificate is about another key", alg)
		}
		checkExtensions(t, cert)
	}
	c.generate(0x9A, 0xE1)
	c.want(0x6A80, 0xF9, 0x9A, 0, nil) // X25519: see the method's comment
}

// checkExtensions compares the values with Yubico's description.
func checkExtensions(t *testing.T, cert *x509.Certificate) {
	t.Helper()
	want := map[string]string{
		"1.3.6.1.4.1.41482.3.3": "05 07 01",
		"1.3.6.1.4.1.41482.3.7": "02 04 01 35 24 A1",
		"1.3.6.1.4.1.41482.3.8": "03 03",
		"1.3.6.1.4.1.41482.3.9": "01",
	}
	for _, e := range cert.Extensions {
		if text, ok := want[e.Id.String()]; ok {
			if !bytes.Equal(e.Value, unhex(t, text)) {
				t.Errorf("extension %s: % X, want %s", e.Id, e.Value, text)
			}
			delete(want, e.Id.String())
		}
	}
	if len(want) > 0 {
		t.Errorf("extensions are missing: %v", want)
	}
	if cert.SerialNumber.Cmp(big.NewInt(0)) <= 0 || cert.IsCA {
		t.Error("the serial number must be positive, and the certificate no CA's")
	}
}

// Reset keeps the attestation key; two cards of a root have different ones.
func TestAttestationSurvivesReset(t *testing.T) {
	t.Parallel()
	c := setup(t)
	object := tlv(0x5C, []byte{0x5F, 0xFF, 0x01})
	before := c.must(0xCB, 0x3F, 0xFF, object)
	must.OK(t, c.card.FactoryReset())
	c.open()
	if after := c.must(0xCB, 0x3F, 0xFF, object); !bytes.Equal(before, after) {
		t.Error("the reset changed the attestation certificate")
	}
	c.managed()
	c.generate(0x9A, 0x11)
	c.must(0xF9, 0x9A, 0, nil)
	if other := setup(t).must(0xCB, 0x3F, 0xFF, object); bytes.Equal(before, other) {
		t.Error("two tokens have the same attestation certificate")
	}
}
