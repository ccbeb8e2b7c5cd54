package cert

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/intentlog"
	"github.com/keyward/keyward/internal/textinput"
	"github.com/keyward/keyward/internal/vault"
)

// RevokeAny names a certificate of our CA, either by its PEM or by its serial number.
type RevokeAny struct {
	Certificate  string
	SerialNumber string
	Reason       string // as for Revoke
}

// Ended is a certificate revoked by RevokeUnrecorded.
type Ended struct {
	SerialNumber string
	RevokedAt    time.Time
	Reason       string
	OnRecord     bool // it has a record, now marked as revoked
	// KeyBarred reports whether its key is refused as compromised; false if the key is unknown.
	KeyBarred bool
}

// RevokeUnrecorded revokes a certificate of our CA even if it has no record; one
// with a record as Revoke does. The revocation is first recorded in the database.
// CertificateRejected if our CA did not issue it, it is the CA's own, or the vault
// needs the certificate itself; Conflict if it was revoked before.
func (s *Service) RevokeUnrecorded(ctx context.Context, a access.Actor, r RevokeAny) (Ended, error) {
	reason, err := ParseReason(r.Reason)
	if err != nil {
		return Ended{}, err
	}
	u, err := s.named(ctx, r)
	if err != nil {
		return Ended{}, err
	}
	switch known, err := s.Store.KnownAmong(ctx, []string{u.serial}); {
	case err != nil:
		return Ended{}, err
	case known[u.serial]:
		c, err := s.Revoke(ctx, a, access.All(), u.serial, ReasonName(reason))
		if err != nil {
			return Ended{}, err
		}
		return Ended{c.SerialNumber, *c.RevokedAt, c.RevocationReason, true, reason == vault.KeyCompromise}, nil
	}
	if err := s.complement(ctx, &u); err != nil {
		return Ended{}, err
	}
	before, err := s.unrecordedRevocation(ctx, u.serial)
	if err != nil {
		return Ended{}, err
	}
	if before != nil && before.Reason == vault.KeyCompromise && before.Key == "" && u.key != "" {
		reason = vault.KeyCompromise // now the certificate, and so the key, is known
	}
	found := before != nil && reason == vault.KeyCompromise && (before.Reason != reason || before.Key == "" && u.key != "")
	switch {
	case before != nil && !found && before.Published, before == nil && u.discarded && reason != vault.KeyCompromise:
		return Ended{}, errRevokedBefore
	case before == nil || found:
		entry := audit.By(a, audit.CertificateRevoked, "certificate", u.serial, u.details()).Because(ReasonName(reason))
		err := s.Store.RevokeUnrecorded(ctx, vault.Revocation{
			Serial: u.serial, At: s.Now(), Reason: reason, Certificate: u.der, NotAfter: u.notAfter,
		}, u.key, entry)
		if err != nil {
			return Ended{}, err
		}
	}
	var now *Unrecorded
	err = s.show(ctx, func() (published bool, err error) {
		now, err = s.unrecordedRevocation(ctx, u.serial)
		return now != nil && now.Published, err
	})
	if err != nil {
		return Ended{}, err
	}
	return Ended{u.serial, now.At, ReasonName(now.Reason), false, now.Reason == vault.KeyCompromise && now.Key != ""}, nil
}

var errRevokedBefore = fault.New(fault.Conflict, "revoked", "This certificate is already revoked.")

// unrecordedRevocation returns nil if there is none.
func (s *Service) unrecordedRevocation(ctx context.Context, serial string) (*Unrecorded, error) {
	all, err := s.Store.UnrecordedRevocations(ctx, []string{serial})
	if r, ok := all[serial]; ok {
		return &r, err
	}
	return nil, err
}

// unknownCertificate is what is known of a certificate without a record.
type unknownCertificate struct {
	serial    string
	der       []byte // nil: unknown
	key       string // hex SHA-256 of its SubjectPublicKeyInfo; empty: unknown
	notAfter  time.Time
	cas       int              // how many CAs there are
	logged    *intentlog.Entry // its entry in the issuance log; nil: none
	discarded bool             // the log has it as revoked
}

func (u *unknownCertificate) is(c *x509.Certificate) {
	u.serial, u.der, u.key, u.notAfter = vault.SerialOf(c.SerialNumber), c.Raw, hexSHA256(c.RawSubjectPublicKeyInfo), c.NotAfter
}

func (u *unknownCertificate) details() string {
	if u.logged == nil {
		return "a certificate that no record knows"
	}
	return fmt.Sprintf("a certificate that no record knows; logged for token %s, slot %s, at %s",
		u.logged.HWKeySerial, u.logged.Slot, u.logged.At().Format(time.RFC3339))
}

// named resolves the certificate that a request names.
func (s *Service) named(ctx context.Context, r RevokeAny) (u unknownCertificate, err error) {
	switch {
	case (r.Certificate == "") == (r.SerialNumber == ""):
		return u, fault.Invalid(fault.Wrong("serial_number", "one_of_two", "or certificate must be given, and not both"))
	case r.Certificate == "":
		u.serial = vault.CanonicalSerial(r.SerialNumber)
		if _, err := vault.ParseSerial(u.serial); err != nil {
			return u, fault.Invalid(fault.Wrong("serial_number", "no_serial_number",
				"must be hex of even length, without leading zeros: at most 20 bytes"))
		}
	default:
		c, err := parseCertificate(r.Certificate)
		if err != nil {
			return u, err
		}
		u.is(c)
	}
	return u, s.ours(ctx, &u)
}

func parseCertificate(text string) (*x509.Certificate, error) {
	block, rest := textinput.PEM(text)
	if block == nil || block.Type != "CERTIFICATE" || len(rest) != 0 {
		return nil, fault.Invalid(fault.Wrong("certificate", "no_certificate_pem", "must be one PEM block CERTIFICATE"))
	}
	c, err := x509.ParseCertificate(block.Bytes)
	if err != nil || c.SerialNumber.Sign() <= 0 || len(c.SerialNumber.Bytes()) > vault.MaxSerial {
		return nil, fault.Invalid(fault.Wrong("certificate", "unusable_certificate",
			"cannot be read as a certificate, or its serial number is not positive or longer than 20 bytes"))
	}
	return c, nil
}

// ours returns CertificateRejected for a certificate that our CA did not issue, as
// far as can be known, and for the CA's own.
func (s *Service) ours(ctx context.Context, u *unknownCertificate) error {
	cas, err := s.PKI.CAs(ctx)
	if err != nil {
		return vault.Fault(err)
	}
	for _, ca := range cas {
		for _, der := range ca.Chain {
			c, err := x509.ParseCertificate(der)
			if err != nil {
				return err
			}
			if vault.SerialOf(c.SerialNumber) == u.serial {
				return fault.New(fault.CertificateRejected, "is_ca", "This is the CA's own certificate. Its CRL can't revoke it.").
					About(fault.Wrong(u.namedBy(), "is_ca", "is the CA's own"))
			}
		}
	}
	for _, ca := range cas {
		if len(ca.Chain) > 0 {
			u.cas++
		}
	}
	if u.der == nil {
		return nil
	}
	if signedBy(cas, u.der) == nil {
		return fault.New(fault.CertificateRejected, "foreign_certificate",
			"This certificate was not issued by this CA. Revoke it where it was issued.").
			About(fault.Wrong(u.namedBy(), "foreign_certificate", "was not issued by this CA"))
	}
	return nil
}

// namedBy guesses the request's field.
func (u *unknownCertificate) namedBy() string {
	if u.der == nil {
		return "serial_number"
	}
	return "certificate"
}

// complement adds what the vault has: the certificate, if it stores it, and the
// issuance log's entry.
func (s *Service) complement(ctx context.Context, u *unknownCertificate) error {
	logged, err := s.Issuances.FindUnrecorded(ctx, u.serial)
	if err != nil {
		return vault.Fault(err)
	}
	u.logged, u.discarded = logged, logged != nil && logged.Outcome == intentlog.Discarded
	if u.der != nil {
		return nil
	}
	lister, ok := s.PKI.(vault.IssuedLister)
	if ok {
		switch der, err := lister.Certificate(ctx, u.serial); {
		case errors.Is(err, vault.ErrNotFound):
		case err != nil:
			return vault.Fault(err)
		default:
			c, err := x509.ParseCertificate(der)
			if err != nil {
				return err
			}
			u.is(c)
			return s.ours(ctx, u)
		}
	}
	if !ok || !lister.RevokesBySerial() || u.logged == nil && u.cas > 1 { // whose list would it be on?
		return fault.New(fault.CertificateRejected, "certificate_required",
			"The vault has no certificate with this serial number. Send the certificate itself.").
			About(fault.Wrong("serial_number", "certificate_required", "is not enough; send the certificate itself"))
	}
	if u.logged != nil {
		u.key, u.notAfter = u.logged.PublicKeySHA256, u.logged.NotAfter
	}
	return nil
}
