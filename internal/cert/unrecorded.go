package cert

import (
	"context"
	"crypto/x509"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/intentlog"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/vault"
)

// ReconcileIssuances settles issuances that were logged over ten minutes ago and
// left open, as by a crash: it marks those with a record, and revokes certificates
// that the vault may have signed without one. It ignores certificates that the log
// does not name, even if the vault lists them. One that cannot be settled now does
// not hold up the others. While the database may be older than the vault, it settles nothing.
func (s *Service) ReconcileIssuances(ctx context.Context) error {
	if !s.trusted(ctx) {
		return nil
	}
	ids, err := s.Issuances.OverdueBatches(ctx)
	if err != nil || len(ids) == 0 {
		return vault.Fault(err)
	}
	r := reconciling{
		s, sync.OnceValues(func() (intentlog.Marks, error) { return s.Issuances.Marked(ctx, ids) }),
		sync.OnceValues(func() (map[string][]*orphan, error) { return s.orphans(ctx) }),
	}
	var failed error
	for _, id := range ids {
		if err := r.settle(ctx, id); err != nil {
			failed = errors.Join(failed, err)
		}
		if ctx.Err() != nil {
			break
		}
	}
	return failed
}

// trusted reports whether a missing record means that none was ever made.
func (s *Service) trusted(ctx context.Context) bool {
	if s.Consistent != nil && !s.Consistent() {
		return false
	}
	return s.SigningBlocked == nil || s.SigningBlocked(ctx) == nil
}

// reconciling is one round of ReconcileIssuances.
type reconciling struct {
	*Service

	// marks are what was marked as recorded since the first batch, read once.
	marks func() (intentlog.Marks, error)
	// orphans are listed once, for log entries without a serial number.
	orphans func() (map[string][]*orphan, error)
}

// errUnsettled: a certificate of the batch's time may be on its way to its
// record; the next round looks again.
var errUnsettled = errors.New("too young to be settled")

func (r reconciling) settle(ctx context.Context, id string) error {
	p, err := r.Issuances.Open(ctx, id)
	if err != nil || p == nil {
		return vault.Fault(err)
	}
	open := map[string][]*intentlog.Issuance{} // those without a serial number, by key hash
	for i := range p.Entries {
		e := &p.Entries[i]
		if e.Outcome != "" {
			continue
		}
		unnamed := e.SerialNumber == ""
		switch marked, err := r.settleEntry(ctx, p, i); {
		case err != nil:
			return err
		case unnamed && !marked:
			open[e.PublicKeySHA256] = append(open[e.PublicKeySHA256], e)
		}
	}
	for key, entries := range open {
		switch err := r.lookForOrphans(ctx, p.At, key, entries); {
		case errors.Is(err, errUnsettled):
			return nil
		case err != nil:
			return err
		}
	}
	return vault.Fault(r.Issuances.Settle(ctx, *p))
}

// settleEntry settles an entry by its record or its mark as recorded; without either
// as discarded or not signed.
func (r reconciling) settleEntry(ctx context.Context, p *intentlog.Batch, index int) (marked bool, err error) {
	e := &p.Entries[index]
	c, err := r.onRecord(ctx, e.SerialNumber)
	if err != nil {
		return false, err
	}
	if c != nil {
		e.SetRecorded(c)
		return false, nil
	}
	marks, err := r.marks()
	if err != nil {
		return false, vault.Fault(err)
	}
	if before, ok := marks.Entry(p, index); ok { // an older database may lack it
		*e = before
		return true, nil
	}
	if e.SerialNumber != "" {
		return false, r.discardEntry(ctx, e)
	}
	if c, err = r.recordOf(ctx, *e, p.At, marks.Recorded); err != nil {
		return false, err
	}
	if c == nil {
		e.Outcome = intentlog.NotSigned
		return false, nil
	}
	e.SetRecorded(c)
	marks.Record(e.SerialNumber)
	return false, nil
}

// discardEntry revokes a certificate without a record.
func (r reconciling) discardEntry(ctx context.Context, e *intentlog.Issuance) error {
	err := r.revokeOrphan(ctx, &orphan{serial: e.SerialNumber, ca: e.CA, notAfter: e.NotAfter})
	if _, refused := errors.AsType[*vault.Unrevoked](err); refused { // by a vault that this one was moved to and that needs the certificate
		r.Log.Error("a certificate was logged but never recorded, and the vault can't revoke it without the certificate itself",
			"serial_number", e.SerialNumber, "error", err)
		e.Outcome = intentlog.Lost
		return nil
	}
	if err == nil {
		e.Outcome = intentlog.Discarded
	}
	return err
}

// recordOf finds the recorded certificate, revoked or not, of an issuance whose
// serial number is unknown; nil if none. It must be for the same CSR, signed at that
// time, and not belong to another issuance: a retry may have used the same CSR.
func (s *Service) recordOf(
	ctx context.Context, e intentlog.Issuance, at time.Time, anothers func(serialNumber string) bool,
) (*x509.Certificate, error) {
	serial, f := "", Filter{HWKeySerial: e.HWKeySerial, Now: s.Now()}
	for p := (page.Request{Limit: page.MaxLimit}); serial == ""; {
		list, err := s.Store.ListCertificates(ctx, access.All(), f, p)
		if err != nil {
			return nil, err
		}
		for _, c := range list.Items {
			p.Before = c.ID
			if c.CSRSHA256 == e.CSRSHA256 && c.Slot == e.Slot && c.NotBefore.Sub(at).Abs() <= intentlog.Overdue && !anothers(c.SerialNumber) {
				serial = c.SerialNumber
			}
		}
		if list.NextCursor == nil {
			break
		}
	}
	return s.onRecord(ctx, serial)
}

// onRecord returns nil if there is no such certificate.
func (s *Service) onRecord(ctx context.Context, serialNumber string) (*x509.Certificate, error) {
	if serialNumber == "" {
		return nil, nil
	}
	c, err := s.Store.Certificate(ctx, access.All(), serialNumber)
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return x509.ParseCertificate(c.DER)
}

// lookForOrphans revokes what the vault signed for a key at that time without a
// record, and enters it in log entries that lack a certificate.
func (r reconciling) lookForOrphans(ctx context.Context, at time.Time, key string, entries []*intentlog.Issuance) error {
	strays, err := r.orphans()
	if err != nil {
		return err
	}
	for _, c := range strays[key] {
		switch {
		case c.notBefore.Sub(at).Abs() > intentlog.Overdue:
			continue // belongs to another issuance
		case !c.revoked && r.Now().Sub(c.notBefore) <= intentlog.Overdue:
			return errUnsettled // a request may have just signed it and not recorded it yet
		}
		if err := r.revokeOrphan(ctx, c); err != nil {
			return err
		}
		if i := slices.IndexFunc(entries, func(e *intentlog.Issuance) bool { return e.Outcome == intentlog.NotSigned }); i >= 0 {
			e := entries[i]
			e.SerialNumber, e.TBSSHA256, e.NotAfter, e.Outcome = c.serial, c.tbs, c.notAfter, intentlog.Discarded
		}
	}
	return nil
}

func (s *Service) revokeOrphan(ctx context.Context, c *orphan) error {
	if c.revoked {
		return nil // before, or with another batch of this round
	}
	s.Log.Warn("a certificate was logged before it was signed but never recorded; revoking it", "serial_number", c.serial)
	r := vault.Revocation{
		Serial: c.serial, CA: c.ca, At: s.Now(), Reason: vault.CessationOfOperation, Certificate: c.der, NotAfter: c.notAfter,
	}
	if err := s.PKI.Revoke(ctx, r); err != nil {
		return vault.Fault(err)
	}
	c.revoked = true
	// If a request recorded it after all, the certificate it returned is revoked now.
	return s.markRevoked(ctx, map[string]vault.Revocation{c.serial: r}, "found on the vault's CRL")
}
