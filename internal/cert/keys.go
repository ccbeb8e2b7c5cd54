package cert

import (
	"crypto"
	"crypto/rsa"
	"errors"

	"github.com/keyward/keyward/internal/attestation"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/piv"
)

// AttestationMode says what a key's attestation is good for.
type AttestationMode string

// The modes (contract, "Certificates and PKI", attestation).
const (
	AttestationOff     AttestationMode = "off"     // none is looked at
	AttestationVerify  AttestationMode = "verify"  // one that is sent is verified; without, signing is as strict as a release
	AttestationRequire AttestationMode = "require" // without, nothing is signed
)

// KeyPolicy says which keys are certified. The zero policy looks at no
// attestation.
type KeyPolicy struct {
	Attestation     AttestationMode
	Verifier        *attestation.Verifier // nil only with AttestationOff
	FirmwareMinimum piv.Version           // of the token that made the key; zero: any
}

// evidence is what is known of a key.
type evidence struct {
	statement *attestation.Statement // nil: no attestation that counts
}

// record is the statement as it goes on record.
func (e evidence) record() *Attestation {
	if e.statement == nil {
		return nil
	}
	s := e.statement
	return &Attestation{
		FirmwareVersion: s.Firmware.String(), FormFactor: s.FormFactor, PINPolicy: s.PINPolicy, TouchPolicy: s.TouchPolicy, Root: s.Root,
	}
}

// judge verifies an attestation of a key, whose possession a CSR proves, and
// the firmware that made it.
func (p KeyPolicy) judge(key crypto.PublicKey, d hwkey.Device, slot string, chain []string) (evidence, error) {
	var e evidence
	firmware := d.FirmwareVersion // of an unattested key there is only what the record says
	if p.Attestation != AttestationOff && p.Verifier != nil {
		s, err := p.attested(key, d, slot, chain)
		if err != nil {
			return e, err
		}
		if e.statement = s; s != nil {
			firmware = s.Firmware.String()
		}
	}
	if _, isRSA := key.(*rsa.PublicKey); isRSA {
		if v, err := piv.ParseVersion(firmware); err == nil && v.WeakRSA() {
			return e, fault.New(fault.CSRRejected, "weak_rsa_firmware",
				"RSA keys made by firmware 4.2.0 to 4.3.4 are weak (ROCA, CVE-2017-15361). Use another token, or a key on a curve.")
		}
	}
	if refusal := p.firmware(firmware); refusal != nil {
		return e, refusal
	}
	return e, nil
}

// firmware refuses what is older than the minimum, or not known.
func (p KeyPolicy) firmware(version string) *fault.Error {
	if p.FirmwareMinimum == (piv.Version{}) {
		return nil
	}
	v, err := piv.ParseVersion(version)
	if err != nil {
		return fault.Newf(fault.CSRRejected, "firmware_unknown",
			"Nothing is signed for tokens with firmware before {minimum}, and this token's is not known. Put it on the token's record, or send the "+
				"key's attestation.", fault.Params{"minimum": p.FirmwareMinimum.String()})
	}
	if !v.AtLeast(p.FirmwareMinimum) {
		return fault.Newf(fault.CSRRejected, "firmware_too_old",
			"Nothing is signed for tokens with firmware before {minimum}, and this token's is older. Use a newer token.",
			fault.Params{"minimum": p.FirmwareMinimum.String()})
	}
	return nil
}

// attested is nil where there is no attestation that counts, and that will do.
func (p KeyPolicy) attested(key crypto.PublicKey, d hwkey.Device, slot string, chain []string) (*attestation.Statement, error) {
	if len(chain) == 0 {
		if p.Attestation == AttestationRequire {
			return nil, fault.New(fault.AttestationFailed, "attestation_missing",
				"Only keys that were made on a token are certified here. Send the slot's attestation and the certificate of slot F9.")
		}
		return nil, nil
	}
	s, err := p.Verifier.Verify(chain, attestation.Claim{Key: key, Serial: d.Serial, Slot: piv.Slot(slot)})
	switch {
	case err == nil:
		return &s, nil
	case !attestation.CountsAsNone(err):
		return nil, contradiction(err)
	case p.Attestation == AttestationRequire:
		return nil, insufficient(err)
	}
	return nil, nil
}

// contradiction says what is wrong with an attestation that is false.
func contradiction(err error) error {
	switch {
	case errors.Is(err, attestation.ErrKey):
		return fault.New(fault.AttestationFailed, "attestation_key",
			"The attestation is of another key than the CSR's. Make key, CSR and attestation anew.").With(err)
	case errors.Is(err, attestation.ErrSerial):
		return fault.New(fault.AttestationFailed, "attestation_serial",
			"The attestation is another token's. Plug in the token that this certificate is for.").With(err)
	case errors.Is(err, attestation.ErrSlot):
		return fault.New(fault.AttestationFailed, "attestation_slot",
			"The attestation is of a key in another slot. Send the one of the slot that the certificate is for.").With(err)
	case errors.Is(err, attestation.ErrSignature):
		return fault.New(fault.AttestationFailed, "attestation_signature",
			"The attestation is forged or damaged: a signature in it is not its issuer's.").With(err)
	}
	return fault.New(fault.AttestationFailed, "attestation_malformed",
		"The attestation is not as a token makes it. Send two PEM blocks: the slot's attestation and the certificate of slot F9.").With(err)
}

// insufficient says why an attestation proves nothing, where one is required.
func insufficient(err error) error {
	switch {
	case errors.Is(err, attestation.ErrNoSerial):
		return fault.New(fault.AttestationFailed, "attestation_no_serial",
			"Only attested keys are certified here, and this token's attestation does not say which token it is. Use a newer token.").With(err)
	case errors.Is(err, attestation.ErrUnknownValue):
		return fault.New(fault.AttestationFailed, "attestation_unknown_value",
			"Only attested keys are certified here, and this token's attestation has a value that this version of Keyward does not know.").With(err)
	}
	return fault.New(fault.AttestationFailed, "attestation_untrusted",
		"Only attested keys are certified here, and this attestation's issuer is not trusted. Ask an administrator to look at "+
			"PKI_ATTESTATION_ROOTS_FILE.").With(err)
}
