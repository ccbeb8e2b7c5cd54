package cert

import (
	"context"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"errors"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/vault"
)

// ReconcileIssuances finds out what became of issuances that were taken down
// over ten minutes ago and never settled, as a crash leaves them: those that
// are on record are marked so; a certificate that the vault signed and nobody
// recorded is revoked. What the log does not name is left alone, whatever the
// vault lists.
func (s *Service) ReconcileIssuances(ctx context.Context) error {
	if s.Issuances == nil {
		return nil
	}
	ids, err := s.Issuances.overdue(ctx)
	if err != nil {
		return vault.Fault(err)
	}
	for _, id := range ids {
		if err := s.reconcileSheet(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) reconcileSheet(ctx context.Context, id string) error {
	p, err := s.Issuances.read(ctx, id)
	if err != nil || p == nil {
		return vault.Fault(err)
	}
	open := map[string][]int{} // the entries, by the hash of their key
	for i, e := range p.Entries {
		c, err := s.Store.LiveByCSR(ctx, e.HWKeySerial, e.Slot, e.CSRSHA256, s.Now())
		switch {
		case err == nil:
			p.Entries[i].Outcome, p.Entries[i].SerialNumber = Recorded, c.SerialNumber
		case fault.Is(err, fault.NotFound):
			p.Entries[i].Outcome = NotSigned
		default:
			return err
		}
		open[e.PublicKeySHA256] = append(open[e.PublicKeySHA256], i)
	}
	// The record may be of a second try with the same CSR, so the vault is
	// searched all the same.
	if err := s.searchVault(ctx, p, open); err != nil {
		return err
	}
	return vault.Fault(s.Issuances.move(ctx, id, *p))
}

// searchVault looks among what the vault signed, and the database does not
// hold as issued, for certificates of the keys of open entries.
func (s *Service) searchVault(ctx context.Context, p *sheet, open map[string][]int) error {
	lister, ok := s.PKI.(vault.IssuedLister)
	if !ok {
		return nil
	}
	unknown, err := s.unknown(ctx, lister)
	if err != nil {
		return err
	}
	for _, serial := range unknown {
		recorded, err := s.Store.Certificate(ctx, access.All(), serial)
		known := err == nil
		if err != nil && !fault.Is(err, fault.NotFound) {
			return err
		}
		der := recorded.DER
		if !known {
			if der, err = lister.Certificate(ctx, serial); errors.Is(err, vault.ErrNotFound) {
				continue // tidied away meanwhile
			} else if err != nil {
				return vault.Fault(err)
			}
		}
		if err := s.assign(ctx, p, open, serial, der, known); err != nil {
			return err
		}
	}
	return nil
}

// assign settles the open entries of a certificate's key, and revokes a
// certificate that is not on record.
func (s *Service) assign(ctx context.Context, p *sheet, open map[string][]int, serial string, der []byte, known bool) error {
	c, err := x509.ParseCertificate(der)
	if err != nil {
		return nil //nolint:nilerr // none of ours
	}
	sum := sha256.Sum256(c.RawSubjectPublicKeyInfo)
	entries := open[hex.EncodeToString(sum[:])]
	// One of the same key from another time is another issuance's.
	if len(entries) == 0 || c.NotBefore.Sub(p.At).Abs() > unrecordedAfter {
		return nil
	}
	outcome := Recorded
	if !known {
		outcome = Discarded
		s.Log.Warn("a certificate was signed and never recorded; it is revoked", "serial_number", serial)
		err := s.PKI.Revoke(ctx, vault.Revocation{
			Serial: serial, At: s.Now(), Reason: vault.CessationOfOperation, Certificate: der, NotAfter: c.NotAfter,
		})
		if err != nil {
			return vault.Fault(err)
		}
	}
	for _, i := range entries {
		if !known || p.Entries[i].Outcome == NotSigned {
			p.Entries[i].Outcome, p.Entries[i].SerialNumber = outcome, serial
		}
	}
	return nil
}

// unknown are the serials of the vault's list that the database does not hold
// as issued and that are not on the CRL.
func (s *Service) unknown(ctx context.Context, lister vault.IssuedLister) (serials []string, err error) {
	revoked := map[string]bool{}
	if r, ok := s.PKI.(vault.RevokedLister); ok {
		if err := r.Revoked(ctx, func(r vault.Revocation) error { revoked[r.Serial] = true; return nil }); err != nil {
			return nil, vault.Fault(err)
		}
	}
	var some []string
	flush := func() error {
		issued, err := s.Store.IssuedAmong(ctx, some)
		if err != nil {
			return err
		}
		known := map[string]bool{}
		for _, serial := range issued {
			known[serial] = true
		}
		for _, serial := range some {
			if !known[serial] {
				serials = append(serials, serial)
			}
		}
		some = some[:0]
		return nil
	}
	err = lister.Issued(ctx, func(serial string) error {
		if revoked[serial] {
			return nil
		}
		if some = append(some, serial); len(some) < batch/2 {
			return nil
		}
		return flush()
	})
	if err == nil {
		err = flush()
	}
	return serials, vault.Fault(err)
}

// takeDown has the vault take down what is about to be signed, where that is
// done.
func (s *Service) takeDown(ctx context.Context, c candidate) (Place, error) {
	if s.Issuances == nil {
		return Place{}, nil
	}
	der, err := x509.MarshalPKIXPublicKey(c.request.CSR.Request().PublicKey)
	if err != nil {
		return Place{}, errKeyUnreadable.With(err)
	}
	key := sha256.Sum256(der)
	place, err := s.Issuances.TakeDown(ctx, Issuance{
		HWKeySerial: c.device.Serial, Slot: c.slot, Account: c.actor.UserID, APIKey: c.actor.APIKeyID,
		CSRSHA256: c.csrHash, PublicKeySHA256: hex.EncodeToString(key[:]),
	})
	return place, vault.Fault(err)
}

// errKeyUnreadable is about a key of a kind that no CA takes.
var errKeyUnreadable = fault.New(fault.CSRRejected, "ca_refused",
	"The CA refuses this CSR. Ask an administrator which keys and names its role allows.")

// settle notes what became of it.
func (s *Service) settle(p Place, o Outcome, serialNumber string) {
	if s.Issuances != nil {
		s.Issuances.Settle(p, o, serialNumber)
	}
}
