package cert

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/issuancelog"
)

// Standing is what the vault knows of certificates, held against what is on
// record. It implements recovery.CRL.
type Standing struct {
	*Service

	Engine interface {
		vault.PKI
		vault.RevokedLister
		vault.Numbered
	}
	KV vault.KV // where the vault's log of issuances is
}

// Number gives the CA (DER) and the number of its last CRL.
func (s Standing) Number(ctx context.Context) (ca []byte, number uint64, err error) {
	if ca, err = s.Engine.CA(ctx); err == nil {
		number, _, err = s.Engine.CRLNumber(ctx)
	}
	return ca, number, vault.Fault(err)
}

// endsSoon is how long before its end a certificate's revocation is looked for
// no more: clocks differ.
const endsSoon = time.Hour

// Lacking gives the serial numbers of revocations that were carried to the vault
// and that it does not have: those on record are read before those of the vault.
// Certificates that have ended need not be listed (RFC 5280, section 3.3), and
// those of a former CA are none of the present one's.
func (s Standing) Lacking(ctx context.Context) ([]string, error) {
	carried, err := s.carried(ctx)
	if err != nil || len(carried) == 0 {
		return nil, err
	}
	err = s.Engine.Revoked(ctx, func(r vault.Revocation) error { delete(carried, r.Serial); return nil })
	if err != nil || len(carried) == 0 {
		return nil, vault.Fault(err)
	}
	ca, err := s.authority(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.addRecorded(ctx, carried); err != nil {
		return nil, err
	}
	var lacking []string
	for serial, der := range carried {
		parsed, err := x509.ParseCertificate(der)
		if len(der) == 0 || err == nil && parsed.CheckSignatureFrom(ca) == nil {
			lacking = append(lacking, serial)
		}
	}
	return lacking, nil
}

// addRecorded adds the certificates that are on record.
func (s Standing) addRecorded(ctx context.Context, carried map[string][]byte) error {
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

// carried are the serial numbers of what was carried to the vault. Of certificates
// that no record knows it has what is known of them, empty when that is nothing.
func (s Standing) carried(ctx context.Context) (map[string][]byte, error) {
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

func (s Standing) authority(ctx context.Context) (*x509.Certificate, error) {
	der, err := s.Engine.CA(ctx)
	if err != nil {
		return nil, vault.Fault(err)
	}
	return x509.ParseCertificate(der)
}

// Republish has revocations carried to the vault once more, and a CRL published
// whose number is above the given one. Where that number is out of reach, the
// revocations are published all the same.
func (s Standing) Republish(ctx context.Context, serials []string, above uint64) error {
	if len(serials) > 0 {
		if err := s.Store.Unpublish(ctx, serials); err != nil {
			return err
		}
	}
	absurd := s.Engine.RaiseCRL(ctx, above, vault.Patience(above, maxRaising))
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

// maxRaising is how long a server makes lists for their number alone: nothing else
// is compared meanwhile.
const maxRaising = 5 * time.Minute

// Learn marks on record what the vault has revoked.
func (s Standing) Learn(ctx context.Context) error { return s.LearnRevoked(ctx) }

// Unrecorded gives the serial numbers of certificates that the vault marked as
// recorded and that are not on record: the vault is read first. As long as it
// finds none among the newest, it costs the same however many there are; then
// it names all since that time.
func (s Standing) Unrecorded(ctx context.Context, since time.Time) (serials []string, err error) {
	lacked, err := s.LackedIssuances(ctx)
	if err != nil || len(lacked) == 0 {
		return nil, err
	}
	among := unrecordedAmong{store: s.Store, found: serialsOf(lacked)}
	err = issuancelog.EachRecorded(ctx, s.KV, since, func(e issuancelog.Entry) error {
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

// LoseUnrecorded leaves it at that, when an older database was accepted.
func (s Standing) LoseUnrecorded(ctx context.Context) error {
	_, err := s.LoseIssuances(ctx)
	return err
}
