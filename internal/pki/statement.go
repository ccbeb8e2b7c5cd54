package pki

import (
	"crypto"
	"crypto/x509"
	"encoding/asn1"
	"fmt"
	"regexp"

	"github.com/keyward/keyward/internal/piv"
)

// Statement is what a token states about a key.
type Statement struct {
	Key         crypto.PublicKey
	Serial      uint32      // of the token
	Slot        piv.Slot    // as the token says; Keyward may not use it
	Firmware    piv.Version // from the leaf: F9 may have been made with another
	FormFactor  string      // as ykman names it; empty: unknown (firmware 4)
	PINPolicy   string      // one of piv.PINPolicies
	TouchPolicy string      // one of piv.TouchPolicies
	Root        string      // common name of the CA at the top
}

// Yubico's extensions (README.md, "Extensions"). Only the serial number is
// wrapped in ASN.1; firmware, policies and form factor are bare bytes.
var (
	oidFirmware   = yubicoOID(3)
	oidSerial     = yubicoOID(7)
	oidPolicies   = yubicoOID(8)
	oidFormFactor = yubicoOID(9)
)

func yubicoOID(last int) asn1.ObjectIdentifier {
	return asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 41482, 3, last}
}

// formFactors are ykman's names, by number.
var formFactors = map[byte]string{
	1: "Keychain (USB-A)", 2: "Nano (USB-A)", 3: "Keychain (USB-C)", 4: "Nano (USB-C)", 5: "Keychain (USB-C, Lightning)",
	6: "Bio (USB-A)", 7: "Bio (USB-C)",
}

// formFactorFlags mark a Security Key and a FIPS model.
const formFactorFlags = 0x40 | 0x80

var leafSubject = regexp.MustCompile(`^CN=YubiKey PIV Attestation ([0-9a-f]{2})$`)

// read parses a leaf's statement, without what depends on F9 and the root.
// Deviations from Yubico's format are ErrMalformed; numbers of unknown meaning are
// ErrUnknownValue.
func read(leaf *x509.Certificate) (Statement, error) {
	s := Statement{Key: leaf.PublicKey}
	name := leafSubject.FindStringSubmatch(leaf.Subject.String())
	if name == nil {
		return s, fmt.Errorf("%w: its subject names no slot", ErrMalformed)
	}
	s.Slot = piv.Slot(name[1])
	if leaf.PublicKey == nil {
		return s, fmt.Errorf("%w: a key of an unknown kind", ErrUnknownValue)
	}
	firmware, err := bare(leaf, oidFirmware, len(s.Firmware))
	if err != nil || firmware == nil {
		return s, fmt.Errorf("%w: the firmware is not three bytes", ErrMalformed)
	}
	s.Firmware = piv.Version(firmware)
	if s.Serial, err = serial(leaf); err != nil {
		return s, err
	}
	policies, err := bare(leaf, oidPolicies, 2)
	if err != nil || policies == nil {
		return s, fmt.Errorf("%w: the policies are not two bytes", ErrMalformed)
	}
	form, err := bare(leaf, oidFormFactor, 1)
	if err != nil {
		return s, fmt.Errorf("%w: the form factor is not one byte", ErrMalformed)
	}
	return s, s.name(policies, form)
}

// name sets the names of numbers.
func (s *Statement) name(policies, form []byte) error {
	pin, touch := int(policies[0]), int(policies[1])
	// 0 is "default" in commands; a generated key has one of the others.
	if pin == 0 || pin >= len(piv.PINPolicies) || touch == 0 || touch >= len(piv.TouchPolicies) {
		return fmt.Errorf("%w: policies %02x", ErrUnknownValue, policies)
	}
	s.PINPolicy, s.TouchPolicy = piv.PINPolicies[pin], piv.TouchPolicies[touch]
	if form == nil {
		return nil
	}
	name, ok := formFactors[form[0]&^formFactorFlags]
	if !ok {
		return fmt.Errorf("%w: form factor %02x", ErrUnknownValue, form)
	}
	s.FormFactor = name
	return nil
}

// extension returns nil if there is none. Certificates with duplicates do not parse (crypto/x509).
func extension(c *x509.Certificate, id asn1.ObjectIdentifier) []byte {
	for _, e := range c.Extensions {
		if e.Id.Equal(id) {
			return append([]byte{}, e.Value...)
		}
	}
	return nil
}

// bare returns an extension of exactly size bytes, or nil if there is none.
func bare(c *x509.Certificate, id asn1.ObjectIdentifier, size int) ([]byte, error) {
	value := extension(c, id)
	if value != nil && len(value) != size {
		return nil, ErrMalformed
	}
	return value, nil
}

// serial returns 0 if the token does not state it.
func serial(leaf *x509.Certificate) (uint32, error) {
	value := extension(leaf, oidSerial)
	if value == nil {
		return 0, nil
	}
	var n int64
	rest, err := asn1.Unmarshal(value, &n)
	if err != nil || len(rest) > 0 || n <= 0 || n > 1<<32-1 {
		return 0, fmt.Errorf("%w: the serial number is no positive INTEGER of 32 bits", ErrMalformed)
	}
	return uint32(n), nil
}
