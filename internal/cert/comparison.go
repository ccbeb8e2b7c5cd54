package cert

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/keyward/keyward/internal/intentlog"
	"github.com/keyward/keyward/internal/vault"
)

// Comparison compares what the vault knows of certificates with the records. It
// implements rollback.CRL.
type Comparison struct {
	*Service

	Engine interface {
		vault.PKI
		vault.RevokedLister
		vault.Numbered
	}
	KV vault.KV // holds the vault's issuance log
}

// Number returns the active CA (DER) and the number of its last CRL: a vault goes back as a whole.
func (s Comparison) Number(ctx context.Context) (ca []byte, number uint64, err error) {
	active, err := vault.ActiveCA(ctx, s.Engine)
	if err != nil {
		return nil, 0, vault.Fault(err)
	}
	number, _, err = s.Engine.CRLNumber(ctx, active.ID)
	return active.Chain[0], number, vault.Fault(err)
}

// endsSoon is how long before its end a revoked certificate is no longer expected on
// the CRL: clocks differ.
const endsSoon = time.Hour

// MissingRevocations returns the serial numbers of revocations that were sent to the vault and
// that it lacks; it reads the records before the vault. Expired certificates need
// not be listed (RFC 5280, section 3.3), and those of a CA that the vault does not have are nobody's to list.
func (s Comparison) MissingRevocations(ctx context.Context) ([]string, error) {
	carried, err := s.submitted(ctx)
	if err != nil || len(carried) == 0 {
		return nil, err
	}
	err = s.Engine.Revoked(ctx, func(r vault.Revocation) error { delete(carried, r.Serial); return nil })
	if err != nil || len(carried) == 0 {
		return nil, vault.Fault(err)
	}
	cas, err := s.Engine.CAs(ctx)
	if err != nil {
		return nil, vault.Fault(err)
	}
	if err := s.addRecorded(ctx, carried); err != nil {
		return nil, err
	}
	var lacking []string
	for serial, der := range carried {
		if len(der) == 0 || signedBy(cas, der) != nil {
			lacking = append(lacking, serial)
		}
	}
	return lacking, nil
}

// addRecorded adds the DER of recorded certificates.
func (s Comparison) addRecorded(ctx context.Context, carried map[string][]byte) error {
	var recorded []string
	for serial, der := range carried {
		if der == nil {
			recorded = append(recorded, serial)
		}
	}
	for part := range slices.Chunk(recorded, batch) {
		found, err := s.Store.CertificatesDER(ctx, part)
		if err != nil {
			return err
		}
		maps.Copy(carried, found)
	}
	return nil
}

// submitted returns the revocations sent to the vault by serial number: nil for a
// certificate with a record, otherwise its DER, empty if unknown.
func (s Comparison) submitted(ctx context.Context) (map[string][]byte, error) {
	carried, ends := map[string][]byte{}, s.Now().Add(endsSoon)
	for after := int64(0); ; {
		page, last, err := s.Store.PublishedRevocations(ctx, after, ends, batch)
		if err != nil {
			return nil, err
		}
		for _, serial := range page {
			carried[serial] = nil
		}
		if len(page) < batch {
			break
		}
		after = last
	}
	unrecorded, err := s.Store.PublishedUnrecorded(ctx, ends)
	for _, r := range unrecorded {
		carried[r.Serial] = append([]byte{}, r.Certificate...)
	}
	return carried, err
}

// signedBy returns the CA whose signature a certificate, DER, bears; nil if that of none.
func signedBy(cas []vault.CA, der []byte) *vault.CA {
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil
	}
	of, found := vault.IssuerOf(cas, cert)
	if !found {
		return nil
	}
	ca, err := x509.ParseCertificate(of.Chain[0])
	if err != nil || cert.CheckSignatureFrom(ca) != nil {
		return nil
	}
	return &of
}

// Republish sends revocations to the vault again and publishes a CRL with a number
// above the given one. If that number is out of reach, the revocations are published anyway.
func (s Comparison) Republish(ctx context.Context, serials []string, above uint64) error {
	if len(serials) > 0 {
		if err := s.Store.Unpublish(ctx, serials); err != nil {
			return err
		}
	}
	absurd := s.Engine.RaiseCRL(ctx, vault.Active, above, vault.RaiseDeadline(above, maxRaising))
	if errors.Is(absurd, vault.ErrInvalid) {
		absurd = fmt.Errorf("the mark of the CRL's number in the database (table vault_marks): %w", absurd)
	} else if absurd != nil {
		return vault.Fault(absurd)
	}
	refused, err := s.publish(ctx)
	if refused != nil {
		s.Log.ErrorContext(ctx, "the vault now rejects revocations that it had before; the reconciler keeps trying", "error", refused)
	}
	return errors.Join(absurd, err, s.CRL.Refresh(ctx))
}

// maxRaising is how long a server may publish CRLs only to raise the number: nothing
// else is compared meanwhile.
const maxRaising = 5 * time.Minute

// Learn records what the vault has revoked.
func (s Comparison) Learn(ctx context.Context) error { return s.LearnRevoked(ctx) }

// MissingIssuancesSince returns the serial numbers of certificates that the vault marked as
// recorded but that have no record; it reads the vault first. If none of the newest
// is missing, the cost is constant; otherwise it returns all since that time.
func (s Comparison) MissingIssuancesSince(ctx context.Context, since time.Time) (serials []string, err error) {
	lacked, err := s.MissingIssuances(ctx)
	if err != nil || len(lacked) == 0 {
		return nil, err
	}
	among := unrecordedAmong{store: s.Store, found: intentlog.SerialNumbers(lacked)}
	err = intentlog.EachRecordedIssuance(ctx, s.KV, since, func(e intentlog.Entry) error {
		if e.SerialNumber == "" {
			return nil
		}
		return among.add(ctx, e.SerialNumber)
	})
	if err == nil {
		err = among.flush(ctx)
	}
	slices.Sort(among.found)
	return slices.Compact(among.found), vault.Fault(err)
}

// MarkUnaccounted accepts an older database.
func (s Comparison) MarkUnaccounted(ctx context.Context) error {
	_, err := s.MarkIssuancesUnaccounted(ctx)
	return err
}
