package applet

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"fmt"
	"time"
)

// formFactor is a USB-A keychain, the YubiKey 5 NFC's (Yubico).
const formFactor = 0x01

// Extensions of an attestation certificate (Yubico, "PIV attestation"). Only
// the serial number is wrapped in ASN.1; the others are bare bytes.
var (
	oidFirmware   = asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 41482, 3, 3}
	oidSerial     = asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 41482, 3, 7}
	oidPolicies   = asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 41482, 3, 8}
	oidFormFactor = asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 41482, 3, 9}
)

// makeAttestation gives a new token its attestation key and certificate. The key is
// P-256, unlike a YubiKey's RSA-2048, because that is much faster to generate.
func (c *Card) makeAttestation(s *state) error {
	if c.root == nil {
		root, err := NewRoot(c.now())
		if err != nil {
			return err
		}
		c.root = root
	}
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	cert, err := c.root.issue(private.Public(), c.now())
	if err != nil {
		return err
	}
	raw, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return err
	}
	k := key{Algorithm: algP256, PIN: pinNever, Touch: touchNever, PKCS8: raw}
	s.Keys[slotAttestation] = k
	s.Objects[objAttestation] = certificateObject(cert)
	return nil
}

// certificateObject wraps a certificate as a data object's content: 70 the
// certificate, 71 not compressed, FE an empty checksum (SP 800-73-4 part 1).
func certificateObject(der []byte) []byte {
	b := object(0x70, der)
	b = appendField(b, 0x71, []byte{0})
	return appendField(b, 0xFE, nil)
}

// attest is Yubico's ATTEST: a certificate that says "this key was generated in this
// token". P1 is the slot. Imported keys cannot be attested; neither can X25519 keys,
// although a YubiKey attests them, since crypto/x509 cannot certify them.
func (c *Card) attest(cmd Command) ([]byte, Status) {
	s := slot(cmd.P1)
	if cmd.P2 != 0 || !s.valid() || s == slotAttestation {
		return nil, WrongParameters
	}
	k, ok := c.state.Keys[s]
	if !ok || k.Imported || k.Algorithm == algX25519 {
		return nil, WrongData
	}
	der, err := c.attestation(s, k)
	if err != nil {
		return nil, Failure
	}
	return der, OK
}

func (c *Card) attestation(s slot, k key) ([]byte, error) {
	issuer, signer, err := c.attestor()
	if err != nil {
		return nil, err
	}
	private, err := k.private()
	if err != nil {
		return nil, err
	}
	serial, err := asn1.Marshal(int64(c.state.Serial))
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: serialNumber(),
		Subject:      pkix.Name{CommonName: fmt.Sprintf("YubiKey PIV Attestation %02x", byte(s))},
		NotBefore:    issuer.NotBefore.Truncate(time.Second),
		NotAfter:     issuer.NotAfter,
		ExtraExtensions: []pkix.Extension{
			{Id: oidFirmware, Value: c.state.Firmware[:]},
			{Id: oidSerial, Value: serial},
			{Id: oidPolicies, Value: []byte{byte(k.PIN), byte(k.Touch)}},
			{Id: oidFormFactor, Value: []byte{formFactor}},
		},
	}
	return x509.CreateCertificate(rand.Reader, template, issuer, public(private), signer)
}

// attestor returns the certificate and key of slot F9, which a client may have
// replaced.
func (c *Card) attestor() (*x509.Certificate, crypto.Signer, error) {
	list, ok := parseFields(c.state.Objects[objAttestation])
	der, found := list.get(0x70)
	if !ok || !found {
		return nil, nil, NotFound
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, nil, err
	}
	private, err := c.state.Keys[slotAttestation].private()
	if err != nil {
		return nil, nil, err
	}
	signer, ok := private.(crypto.Signer)
	if !ok {
		return nil, nil, WrongData
	}
	return cert, signer, nil
}
