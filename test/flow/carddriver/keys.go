package carddriver

import (
	"bytes"
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"io"
	"slices"

	"github.com/keyward/keyward/internal/agent/driver"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/tryout/vtoken/applet"
)

// Algorithms of keys (SP 800-78-4, table 6-2).
const (
	rsa2048 = 0x07
	p256    = 0x11
)

func algorithm(t piv.KeyType) byte {
	if t == piv.ECP256 {
		return p256
	}
	return rsa2048
}

// GenerateKey implements driver.Driver.
func (d *Driver) GenerateKey(
	_ context.Context, serial string, slot piv.Slot, managementKey secret.String, n driver.NewKey,
) (crypto.PublicKey, error) {
	s, err := d.managed(serial, "", managementKey)
	if err != nil {
		return nil, err
	}
	template := tlv(0x80, []byte{algorithm(n.Type)})
	if v := slices.Index(piv.PINPolicies, n.PIN); v > 0 {
		template = append(template, tlv(0xAA, []byte{byte(v)})...)
	}
	if v := slices.Index(piv.TouchPolicies, n.Touch); v > 0 {
		template = append(template, tlv(0xAB, []byte{byte(v)})...)
	}
	reply, sw := s.send(0x47, 0, slot.Reference(), tlv(0xAC, template))
	if sw != applet.OK {
		return nil, s.fail("Making a key", sw)
	}
	return publicKey(find(reply, 0x7F49)), nil
}

// GenerateP256 generates a key of a type that no front end requests.
func (d *Driver) GenerateP256(_ context.Context, serial string, slot piv.Slot, managementKey secret.String) error {
	s, err := d.managed(serial, "", managementKey)
	if err != nil {
		return err
	}
	if _, sw := s.send(0x47, 0, slot.Reference(), tlv(0xAC, tlv(0x80, []byte{p256}))); sw != applet.OK {
		return s.fail("Making a key", sw)
	}
	return nil
}

// ImportKey imports a key that was generated elsewhere, as other tools can (Yubico's
// IMPORT ASYMMETRIC KEY).
func (d *Driver) ImportKey(_ context.Context, serial string, slot piv.Slot, managementKey secret.String, key *rsa.PrivateKey) error {
	s, err := d.managed(serial, "", managementKey)
	if err != nil {
		return err
	}
	data := append(tlv(0x01, key.Primes[0].Bytes()), tlv(0x02, key.Primes[1].Bytes())...)
	if _, sw := s.send(0xFE, rsa2048, slot.Reference(), data); sw != applet.OK {
		return s.fail("Importing a key", sw)
	}
	return nil
}

// signer signs with a key that never leaves the card.
type signer struct {
	session *session
	slot    piv.Slot
	public  crypto.PublicKey
}

func (k signer) Public() crypto.PublicKey { return k.public }

// digestInfo is the DER that precedes a SHA-256 hash (RFC 8017, 9.2, note 1).
var digestInfo = []byte{0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00, 0x04, 0x20}

// Sign pads as RSASSA-PKCS1-v1_5 (RFC 8017, 8.2) and has the card perform the private
// operation.
func (k signer) Sign(_ io.Reader, digest []byte, opts crypto.SignerOpts) ([]byte, error) {
	public, ok := k.public.(*rsa.PublicKey)
	if !ok || opts.HashFunc() != crypto.SHA256 || len(digest) != sha256.Size {
		return nil, errors.New("only RSA with SHA-256 is signed here")
	}
	info := append(bytes.Clone(digestInfo), digest...)
	padded := append([]byte{0, 1}, bytes.Repeat([]byte{0xFF}, public.Size()-3-len(info))...)
	padded = append(append(padded, 0), info...)
	reply, sw := k.session.send(0x87, rsa2048, k.slot.Reference(), tlv(0x7C, tlv(0x82), tlv(0x81, padded)))
	if sw != applet.OK {
		return nil, k.session.fail("Signing", sw)
	}
	return find(find(reply, 0x7C), 0x82), nil
}

// Request implements driver.Driver.
func (d *Driver) Request(
	_ context.Context, serial string, slot piv.Slot, pin secret.String, key crypto.PublicKey, subject driver.Subject,
) ([]byte, error) {
	s, err := d.connect(serial)
	if err != nil {
		return nil, err
	}
	if _, sw := s.send(0x20, 0, 0x80, reference(pin)); sw != applet.OK {
		return nil, s.judge("Verifying the PIN", sw, pinCodes)
	}
	template := &x509.CertificateRequest{Subject: pkix.Name{CommonName: subject.CommonName}, SignatureAlgorithm: x509.SHA256WithRSA}
	return x509.CreateCertificateRequest(rand.Reader, template, signer{s, slot, key})
}

// Attest implements driver.Driver.
func (d *Driver) Attest(_ context.Context, serial string, slot piv.Slot) ([]*x509.Certificate, error) {
	s, err := d.connect(serial)
	if err != nil {
		return nil, err
	}
	reply, sw := s.send(0xF9, slot.Reference(), 0, nil)
	if sw == 0 {
		return nil, s.fail("Attesting", sw)
	}
	if sw != applet.OK {
		return nil, nil //nolint:nilerr // a key that the card did not make has no attestation
	}
	issuer, err := s.object(0x5FFF01)
	if err != nil {
		return nil, err
	}
	var chain []*x509.Certificate
	for _, der := range [][]byte{reply, find(issuer, 0x70)} {
		cert, err := x509.ParseCertificate(der)
		if err != nil {
			return nil, err
		}
		chain = append(chain, cert)
	}
	return chain, nil
}

// ccc is the Card Capability Container (NIST SP 800-73-4, part 1, section 3.1.1).
const ccc = 0x5FC107

// WriteCapabilities implements driver.Driver.
func (d *Driver) WriteCapabilities(_ context.Context, serial string, managementKey secret.String) error {
	s, err := d.managed(serial, "", managementKey)
	if err != nil {
		return err
	}
	return s.store(ccc, tlv(0xF0, []byte(serial)))
}

// ImportCertificate implements driver.Driver. With a PIN the slot's key must sign
// first.
func (d *Driver) ImportCertificate(
	ctx context.Context, serial string, slot piv.Slot, managementKey, pin secret.String, cert *x509.Certificate,
) error {
	if !pin.Empty() {
		der, err := d.Request(ctx, serial, slot, pin, cert.PublicKey, driver.Subject{CommonName: "proof"})
		if err != nil {
			return err
		}
		csr, err := x509.ParseCertificateRequest(der)
		if err != nil || csr.CheckSignature() != nil {
			return driver.ErrKeyMismatch
		}
	}
	s, err := d.managed(serial, "", managementKey)
	if err != nil {
		return err
	}
	return s.store(slot.CertificateObject(), tlv(0x70, cert.Raw), tlv(0x71, []byte{0}), tlv(0xFE))
}
