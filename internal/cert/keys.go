package cert

import (
	"crypto"
	"crypto/rsa"
	"errors"
	"fmt"
	"slices"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/pki"
)

// AttestationMode says how a key's attestation is used.
type AttestationMode string

// The modes (contract, "Certificates and PKI", attestation).
const (
	AttestationOff     AttestationMode = "off"     // attestations are ignored
	AttestationVerify  AttestationMode = "verify"  // a submitted one is verified; without, signing is as strict as a release
	AttestationRequire AttestationMode = "require" // nothing is signed without one
)

// stricter returns the stricter of two modes; one that is none of them counts as off.
func stricter(a, b AttestationMode) AttestationMode {
	order := []AttestationMode{AttestationOff, AttestationVerify, AttestationRequire}
	if slices.Index(order, b) > slices.Index(order, a) {
		return b
	}
	return a
}

// KeyPolicy decides which keys are certified. The zero policy ignores attestations;
// a policy that needs a Verifier and has none certifies nothing.
type KeyPolicy struct {
	Attestation     AttestationMode
	Verifier        *pki.AttestationVerifier // nil only with AttestationOff
	FirmwareMinimum piv.Version              // of the token that generated the key; zero: any
}

// proof returns a statement in the form that is recorded.
func proof(s *pki.Statement) *Attestation {
	if s == nil {
		return nil
	}
	return &Attestation{
		FirmwareVersion: s.Firmware.String(), FormFactor: s.FormFactor, PINPolicy: s.PINPolicy, TouchPolicy: s.TouchPolicy, Root: s.Root,
	}
}

// judge verifies a key's attestation and the firmware that generated the key; the
// CSR proves possession. The statement is nil unless an attestation counts.
func (p KeyPolicy) judge(key crypto.PublicKey, d hwkey.Device, slot string, chain []string) (*pki.Statement, error) {
	s, counts, err := p.attested(key, d, slot, chain)
	if err != nil {
		return nil, err
	}
	// The firmware of an unattested key comes from the token's record. If a trusted CA's
	// statement names it as well, both must pass.
	if !counts {
		if err := p.made(key, d.FirmwareVersion); err != nil {
			return nil, err
		}
	}
	if s.Firmware != (piv.Version{}) {
		if err := p.made(key, s.Firmware.String()); err != nil {
			return nil, err
		}
	}
	if !counts {
		return nil, nil
	}
	return &s, nil
}

// made checks the firmware that generated a key, or is said to have.
func (p KeyPolicy) made(key crypto.PublicKey, firmware string) error {
	if _, isRSA := key.(*rsa.PublicKey); isRSA {
		if v, err := piv.ParseVersion(firmware); err == nil && v.WeakRSA() {
			return fault.New(fault.CSRRejected, "weak_rsa_firmware",
				"RSA keys from firmware 4.2.0 to 4.3.4 are weak (ROCA, CVE-2017-15361). Use another token, or an elliptic-curve key.")
		}
	}
	if refusal := p.firmware(firmware); refusal != nil {
		return refusal
	}
	return nil
}

// firmware refuses versions that are older than the minimum or unknown.
func (p KeyPolicy) firmware(version string) *fault.Error {
	if p.FirmwareMinimum == (piv.Version{}) {
		return nil
	}
	v, err := piv.ParseVersion(version)
	if err != nil {
		return fault.Newf(fault.CSRRejected, "firmware_unknown",
			"Tokens with firmware before {minimum} can't get certificates, and this token's firmware is unknown. "+
				"Add it to the token, or send the key's attestation.", fault.Params{"minimum": p.FirmwareMinimum.String()})
	}
	if !v.AtLeast(p.FirmwareMinimum) {
		return fault.Newf(fault.CSRRejected, "firmware_too_old",
			"Tokens with firmware before {minimum} can't get certificates, and this token's is older. Use a newer token.",
			fault.Params{"minimum": p.FirmwareMinimum.String()})
	}
	return nil
}

// attested returns counts false if no attestation counts and none is required. The
// statement may name the firmware even then.
func (p KeyPolicy) attested(
	key crypto.PublicKey, d hwkey.Device, slot string, chain []string,
) (s pki.Statement, counts bool, err error) {
	if p.Attestation == "" || p.Attestation == AttestationOff {
		return s, false, nil
	}
	if p.Verifier == nil {
		return s, false, fmt.Errorf("attestation is to be looked at (%s), and there is nothing to verify it with", p.Attestation)
	}
	if len(chain) == 0 {
		if p.Attestation == AttestationRequire {
			return s, false, fault.New(fault.AttestationFailed, "attestation_missing",
				"Only keys that were created on a token can get a certificate. Send the slot's attestation and the certificate of slot F9.")
		}
		return s, false, nil
	}
	s, err = p.Verifier.Verify(chain, pki.Expected{Key: key, Serial: d.Serial, Slot: piv.Slot(slot)})
	switch {
	case err == nil:
		return s, true, nil
	case !pki.TreatAsUnattested(err):
		return s, false, contradiction(err)
	case p.Attestation == AttestationRequire:
		return s, false, insufficient(err)
	}
	return s, false, nil
}

// contradiction explains what is wrong with a false attestation.
func contradiction(err error) error {
	switch {
	case errors.Is(err, pki.ErrKey):
		return fault.New(fault.AttestationFailed, "attestation_key",
			"The attestation is for a different key than the CSR. Create the key, the CSR and the attestation again.").With(err)
	case errors.Is(err, pki.ErrSerial):
		return fault.New(fault.AttestationFailed, "attestation_serial",
			"The attestation is from another token. Plug in the token that this certificate is for.").With(err)
	case errors.Is(err, pki.ErrSlot):
		return fault.New(fault.AttestationFailed, "attestation_slot",
			"The attestation is for a key in another slot. Send the one for the certificate's slot.").With(err)
	case errors.Is(err, pki.ErrSignature):
		return fault.New(fault.AttestationFailed, "attestation_signature",
			"The attestation is forged or damaged: a signature in it is not from its issuer.").With(err)
	}
	return fault.New(fault.AttestationFailed, "attestation_malformed",
		"The attestation is not in the form that tokens create. Send two PEM blocks: the slot's attestation and "+
			"the certificate of slot F9.").With(err)
}

// insufficient explains why an attestation proves nothing, where one is required.
func insufficient(err error) error {
	switch {
	case errors.Is(err, pki.ErrNoSerial):
		return fault.New(fault.AttestationFailed, "attestation_no_serial",
			"Only attested keys can get a certificate, and this token's attestation has no serial number. Use a newer token.").With(err)
	case errors.Is(err, pki.ErrUnknownValue):
		return fault.New(fault.AttestationFailed, "attestation_unknown_value",
			"Only attested keys can get a certificate, and this token's attestation has a value that this "+
				"version of Keyward doesn't know.").With(err)
	}
	return fault.New(fault.AttestationFailed, "attestation_untrusted",
		"Only attested keys can get a certificate, and this attestation's issuer is not trusted. Ask an "+
			"administrator to check PKI_ATTESTATION_ROOTS_FILE.").With(err)
}
