package cert

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/vault"
)

// Revoke marks a certificate as revoked, with its audit entry, and sends the
// revocation to the CRL. If the vault does not accept it now, the error is
// VaultUnavailable, but the revocation is recorded and will be published; repeating
// the call only waits. Conflict if it was revoked and published before, unless the
// key is only now found compromised. All certificates of a compromised key are
// revoked, even those outside the actor's scope.
func (s *Service) Revoke(ctx context.Context, a access.Actor, scope access.Scope, serialNumber, reasonName string) (Certificate, error) {
	reason, err := ParseReason(reasonName)
	if err != nil {
		return Certificate{}, err
	}
	c, err := s.Store.Certificate(ctx, scope, serialNumber)
	if err != nil {
		return Certificate{}, err
	}
	revoked := c.Status == Revoked
	found := revoked && reason == vault.KeyCompromise && c.RevocationReason != reasonName
	if revoked && !found && c.PublishedAt != nil {
		return Certificate{}, fault.New(fault.Conflict, "revoked", "This certificate is already revoked.")
	}
	if !revoked || found {
		details := "token " + c.HWKeySerial
		if found {
			details += ", revoked before as " + c.RevocationReason
		}
		entry := audit.By(a, audit.CertificateRevoked, "certificate", c.SerialNumber, details).
			In(c.OrganizationID).Because(ReasonName(reason)).Notifying(revocationNotices(a, c, reason, s.Now())...)
		if c, err = s.Store.RevokeCertificate(ctx, c.SerialNumber, reason, s.Now(), entry); err != nil {
			return Certificate{}, err
		}
	}
	err = s.show(ctx, func() (published bool, err error) {
		now, err := s.Store.Certificate(ctx, scope, serialNumber)
		if err == nil {
			c = now
		}
		return now.PublishedAt != nil, err
	})
	return c, err
}

// revocationNotices is the notice to the owner of a certificate that someone else revokes.
func revocationNotices(a access.Actor, c Certificate, reason vault.Reason, at time.Time) []notify.Message {
	if c.Status == Revoked || c.OwnerID == nil || a.UserID == *c.OwnerID {
		return nil
	}
	return []notify.Message{{
		To: notify.Audience{UserID: *c.OwnerID}, Kind: notify.CertificateRevoked, At: at,
		Params: notify.Params{
			"by": a.Username, "serial": c.HWKeySerial, "slot": c.Slot, "certificate": c.SerialNumber, "reason": ReasonName(reason),
		},
	}}
}

// show sends a recorded revocation to the CRL; published rereads the record.
func (s *Service) show(ctx context.Context, published func() (bool, error)) error {
	refused, err := s.publish(ctx)
	if err == nil && refused != nil { // perhaps only other certificates
		if done, err := published(); err != nil || done {
			return err
		}
		return fault.New(fault.VaultUnavailable, "revocation_refused",
			"The revocation is recorded, but the vault rejects it, so it is not on the CRL. The server keeps "+
				"trying. Ask an administrator to check the server's log.").With(refused)
	}
	if fault.Is(err, fault.VaultUnavailable) {
		return fault.New(fault.VaultUnavailable, "revoked_unpublished",
			"The revocation is recorded, but not on the CRL yet, because the vault is not responding. It will be "+
				"published as soon as the vault is back.").With(err)
	} else if err != nil {
		return err
	}
	_, err = published()
	return err
}

// Installed records that the card holds the certificate. The slot's earlier live
// certificates are revoked as superseded.
func (s *Service) Installed(ctx context.Context, a access.Actor, scope access.Scope, serialNumber string) (Certificate, error) {
	c, err := s.Store.Certificate(ctx, scope, serialNumber)
	if err != nil {
		return Certificate{}, err
	}
	place := fmt.Sprintf("token %s, slot %s", c.HWKeySerial, c.Slot)
	installed := audit.By(a, audit.CertificateInstalled, "certificate", c.SerialNumber, place).In(c.OrganizationID)
	superseded := audit.By(a, audit.CertificateRevoked, "certificate", "", place+": superseded by "+c.SerialNumber).
		In(c.OrganizationID).Because(ReasonName(vault.Superseded))
	if c, err = s.Store.InstallCertificate(ctx, c.SerialNumber, s.Now(), installed, superseded); err != nil {
		return Certificate{}, err
	}
	if err := s.PublishRevocations(ctx); err != nil {
		s.Log.Warn("superseded certificates are not on the CRL yet; the reconciler keeps trying", "error", err)
	}
	return c, nil
}

const publishTimeout = 2 * time.Minute // a long CRL takes time

// batch is how many revocations one call to the vault takes.
const batch = 1000

// PublishRevocations sends every recorded revocation that the vault lacks to its
// CRL. Concurrent callers take turns, and later ones find little to do. A revocation
// that the vault refuses does not hold up the others.
func (s *Service) PublishRevocations(ctx context.Context) error {
	refused, err := s.publish(ctx)
	return errors.Join(err, refused)
}

// PublishThose is PublishRevocations, and counts how many of these revoked
// certificates are not on the CRL yet; the error may be about others.
func (s *Service) PublishThose(ctx context.Context, serialNumbers []string) (left int, err error) {
	refused, err := s.publish(ctx)
	if err != nil {
		return len(serialNumbers), err
	}
	if refused == nil {
		return 0, nil
	}
	ctx = context.WithoutCancel(ctx)
	for _, serialNumber := range serialNumbers {
		c, err := s.Store.Certificate(ctx, access.All(), serialNumber)
		if err != nil {
			return len(serialNumbers), err
		}
		if c.PublishedAt == nil {
			left++
		}
	}
	return left, refused
}

// publish is PublishRevocations; refused concerns single certificates, err all of them.
func (s *Service) publish(ctx context.Context) (refused, err error) {
	// The revocations are already recorded: publish them even if the caller has gone.
	ctx, cancel := context.WithTimeout(access.OnRecord(context.WithoutCancel(ctx)), publishTimeout)
	defer cancel()
	if refused, err = s.carry(ctx); err != nil {
		return refused, err
	}
	// Another caller may have sent ours without having refreshed the CRL yet, so what
	// counts is what the CRL shows.
	carried := s.submitted.Load()
	if s.published.Load() >= carried {
		return refused, nil
	}
	if err := s.CRL.Refresh(ctx); err != nil {
		return refused, err
	}
	for {
		shown := s.published.Load()
		if shown >= carried || s.published.CompareAndSwap(shown, carried) {
			return refused, nil
		}
	}
}

func (s *Service) carry(ctx context.Context) (refused, err error) {
	done, err := s.publishing.take(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { done(err) }()
	left := &vault.Unrevoked{Failed: map[string]error{}}
	for _, list := range []pendingList{s.Store.UnpublishedRevocations, s.unpublishedUnrecorded} {
		if err := s.carryFrom(ctx, list, left); err != nil {
			return nil, err
		}
	}
	if len(left.Failed) > 0 {
		return vault.Fault(left), nil
	}
	return nil, nil
}

// pendingList returns revocations not yet sent to the vault.
type pendingList func(ctx context.Context, skip, limit int) ([]vault.Revocation, error)

// unpublishedUnrecorded returns the pending revocations of certificates without a record, with their CA as the
// vault has logged it, where the certificate itself is not known.
func (s *Service) unpublishedUnrecorded(ctx context.Context, skip, limit int) ([]vault.Revocation, error) {
	list, err := s.Store.UnpublishedUnrecorded(ctx, skip, limit)
	if err != nil {
		return nil, err
	}
	for i := range list {
		if len(list[i].Certificate) > 0 {
			continue
		}
		logged, err := s.Issuances.FindUnrecorded(ctx, list[i].Serial)
		if err != nil {
			return nil, vault.Fault(err)
		}
		if logged != nil {
			list[i].CA = logged.CA
		}
	}
	return list, nil
}

// carryFrom sends a list; those that the vault refuses are added to left.
func (s *Service) carryFrom(ctx context.Context, list pendingList, left *vault.Unrevoked) error {
	stay := 0 // refused ones, which precede the others
	for {
		pending, err := list(ctx, stay, batch)
		if err != nil || len(pending) == 0 {
			return err
		}
		err = s.PKI.Revoke(ctx, pending...)
		some, partly := errors.AsType[*vault.Unrevoked](err)
		if err != nil && !partly {
			return vault.Fault(err)
		}
		if partly {
			stay += len(some.Failed)
			maps.Copy(left.Failed, some.Failed)
			pending = slices.DeleteFunc(pending, func(r vault.Revocation) bool { return some.Failed[r.Serial] != nil })
		}
		if len(pending) > 0 {
			if err := s.Store.MarkPublished(ctx, pending, s.Now()); err != nil {
				return err
			}
			s.submitted.Add(1)
		}
	}
}

// LearnRevoked records revocations that the vault has and a crash left unrecorded.
func (s *Service) LearnRevoked(ctx context.Context) error {
	lister, ok := s.PKI.(vault.RevokedLister)
	if !ok {
		return nil
	}
	known := map[string]vault.Revocation{}
	flush := func() error {
		err := s.markRevoked(ctx, known, "found on the vault's CRL")
		clear(known)
		return err
	}
	err := lister.Revoked(ctx, func(r vault.Revocation) error {
		known[r.Serial] = r
		if len(known) < batch/2 {
			return nil
		}
		return flush()
	})
	if err != nil {
		return vault.Fault(err)
	}
	return flush()
}

// RecordRevoked records the revocations of a backup: one made during the backup may
// be only in its vault part. Those on no CRL yet are published later.
func (s *Service) RecordRevoked(ctx context.Context, list []vault.Revocation) error {
	for part := range slices.Chunk(list, batch/2) {
		known := map[string]vault.Revocation{}
		for _, r := range part {
			known[r.Serial] = r
		}
		if err := s.markRevoked(ctx, known, "found among the revocations of a backup"); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) markRevoked(ctx context.Context, known map[string]vault.Revocation, found string) error {
	serials := make([]string, 0, len(known))
	for serial := range known {
		serials = append(serials, serial)
	}
	issued, err := s.Store.IssuedAmong(ctx, serials)
	if err != nil {
		return err
	}
	for _, serial := range issued {
		r := known[serial]
		entry := audit.By(access.Actor{}, audit.CertificateRevoked, "certificate", serial,
			found).Because(ReasonName(r.Reason))
		_, err := s.Store.RevokeCertificate(ctx, serial, r.Reason, r.At, entry)
		if err != nil && !fault.Is(err, fault.Conflict) {
			return err
		}
	}
	return nil
}
