package cert

import (
	"context"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/vault"
)

// ReconcileIssuances finds out what became of issuances that were taken down
// over ten minutes ago and never settled, as a crash leaves them: those that
// are on record are marked so; a certificate that the vault signed and nobody
// recorded is revoked. What the log does not name is left alone, whatever the
// vault lists. What cannot be settled now keeps nothing else from being.
func (s *Service) ReconcileIssuances(ctx context.Context) error {
	if s.Issuances == nil {
		return nil
	}
	ids, err := s.Issuances.overdue(ctx)
	if err != nil || len(ids) == 0 {
		return vault.Fault(err)
	}
	strays, err := s.strays(ctx)
	if err != nil {
		return err
	}
	var failed error
	for _, id := range ids {
		if err := s.reconcileSheet(ctx, id, strays); err != nil {
			failed = errors.Join(failed, err)
		}
		if ctx.Err() != nil {
			break
		}
	}
	return failed
}

// errUnsettled: a certificate of the sheet's time may be on its way to its
// record; the next round looks again.
var errUnsettled = errors.New("too young to be settled")

func (s *Service) reconcileSheet(ctx context.Context, id string, strays map[string][]*stray) error {
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
	// The record may be of a second try with the same CSR, so the vault's
	// certificates are looked at all the same.
	var failed error
	young := false
	for key, entries := range open {
		for _, c := range strays[key] {
			// One of the same key from another time is another issuance's.
			if c.notBefore.Sub(p.At).Abs() > unrecordedAfter {
				continue
			}
			switch err := s.assign(ctx, p, entries, c); {
			case errors.Is(err, errUnsettled):
				young = true
			default:
				failed = errors.Join(failed, err)
			}
		}
	}
	if failed != nil || young {
		return failed
	}
	return vault.Fault(s.Issuances.move(ctx, id, *p))
}

// assign settles the entries of a certificate's key, and revokes a certificate
// that is not on record.
func (s *Service) assign(ctx context.Context, p *sheet, entries []int, c *stray) error {
	outcome := Recorded
	if !c.known {
		// A request may have signed it just now and not have recorded it yet.
		if s.Now().Sub(c.notBefore) <= unrecordedAfter {
			return errUnsettled
		}
		outcome = Discarded
		if err := s.revokeStray(ctx, c); err != nil {
			return err
		}
	}
	for _, i := range entries {
		if !c.known || p.Entries[i].Outcome == NotSigned {
			p.Entries[i].Outcome, p.Entries[i].SerialNumber = outcome, c.serial
		}
	}
	return nil
}

func (s *Service) revokeStray(ctx context.Context, c *stray) error {
	if c.revoked {
		return nil // with another sheet of this round
	}
	s.Log.Warn("a certificate was signed and never recorded; it is revoked", "serial_number", c.serial)
	r := vault.Revocation{Serial: c.serial, At: s.Now(), Reason: vault.CessationOfOperation, Certificate: c.der, NotAfter: c.notAfter}
	if err := s.PKI.Revoke(ctx, r); err != nil {
		return vault.Fault(err)
	}
	c.revoked = true
	// Whoever recorded it after all has handed out what is revoked now.
	return s.markRevoked(ctx, map[string]vault.Revocation{c.serial: r})
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
