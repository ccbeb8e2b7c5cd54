package agent

import (
	"context"
	"crypto/x509"
	"errors"

	wire "github.com/keyward/keyward/api/agent"
	"github.com/keyward/keyward/internal/agent/driver"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/textinput"
)

// maxObject is the largest certificate that a YubiKey's data object holds, in
// bytes of DER.
const maxObject = 3050

func (s *server) importCertificate(ctx context.Context, in *body[wire.ImportCertificateRequest]) (*body[wire.Success], error) {
	b := &in.Body
	o := s.opener(ctx, b.Encrypted, b.Serial)
	key := o.managementKey("management_key", b.ManagementKey)
	pin := o.optional(o.pin, "pin", b.PIN, "")
	if o.err != nil {
		return nil, o.err
	}
	cert, err := parseCertificate(b.Certificate)
	if err != nil {
		return nil, err
	}
	slot := slotOr9a(b.Slot)
	return done(s.hold(ctx, func(ctx context.Context) error {
		card, err := importInto(ctx, s.driver, b.Serial, slot, key, pin, cert)
		if err != nil || !card.NoCapabilities {
			return err
		}
		// The certificate is in its slot, and serves all others without this: the next import tries again.
		if err := s.driver.WriteCapabilities(ctx, b.Serial, key); err != nil {
			s.log.WarnContext(ctx, "the token got its certificate, but no CCC: Windows may not find the token",
				"serial", b.Serial, "error", err)
		}
		return nil
	}))
}

// parseCertificate parses exactly one PEM certificate.
func parseCertificate(text string) (*x509.Certificate, error) {
	block, rest := textinput.PEM(text)
	switch {
	case block == nil || block.Type != "CERTIFICATE" || len(block.Headers) != 0:
		return nil, fault.Invalid(fault.Wrong("certificate", "no_certificate_pem", "must be one PEM block CERTIFICATE"))
	case len(rest) != 0:
		return nil, fault.Invalid(fault.Wrong("certificate", "more_than_one", "must be the one certificate, with nothing after it"))
	case len(block.Bytes) > maxObject:
		return nil, fault.Invalid(fault.Wrong("certificate", "larger_than_slot", "is too large for a token"))
	}
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, fault.Invalid(fault.Wrong("certificate", "no_certificate", "is not a certificate that can be read"))
	}
	return cert, nil
}

// importInto stores the certificate if it is for the slot's key. If the token
// does not report that key, the tool uses the PIN to prove it by a signature.
func importInto(
	ctx context.Context, d driver.Driver, serial string, slot piv.Slot, key, pin secret.String, cert *x509.Certificate,
) (driver.Card, error) {
	card, err := d.Inspect(ctx, serial)
	if err != nil {
		return card, err
	}
	if err := ownKey(card); err != nil {
		return card, err
	}
	public, err := slotKey(ctx, d, serial, slot, card.Slots[slot], nil)
	switch {
	case err == nil && !piv.SameKey(public, cert.PublicKey):
		return card, errForeign
	case err == nil:
		pin = secret.String{} // already proven
	case !fault.Is(err, fault.Conflict):
		return card, err
	case card.Version.AtLeast(piv.SinceMetadata) && !card.Slots[slot].HasKey:
		return card, errForeign
	case pin.Empty():
		return card, fault.Invalid(fault.Wrong("pin", "pin_needed",
			"is required: this token doesn't report the slot's key, so it must sign to prove it"))
	}
	err = d.ImportCertificate(ctx, serial, slot, key, pin, cert)
	if errors.Is(err, driver.ErrKeyMismatch) {
		err = errForeign
	}
	return card, err
}

var errForeign = fault.Invalid(fault.Wrong("certificate", "other_key", "doesn't match the key in the slot"))
