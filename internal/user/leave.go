package user

import (
	"context"
	"fmt"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/vault"
)

// Publisher carries recorded revocations to the CRL.
type Publisher interface {
	// PublishThose carries all of them, and counts which of these certificates,
	// which are revoked, are not on the CRL yet.
	PublishThose(ctx context.Context, serialNumbers []string) (left int, err error)
}

// Left is what a change ended of what an account holds.
type Left struct {
	TokensSuspended     int64
	CertificatesRevoked int
	// CertificatesUnpublished are those of them that the vault did not take now. They
	// are on record, and the reconciler goes on.
	CertificatesUnpublished int
}

// certificates decides what becomes of the account's live certificates: of all when it is
// disabled and the patch says so, otherwise of those that carry a former name.
func (p *Patch) certificates(a access.Actor, state State, c *Change) error {
	if p.disables() && p.revokes() {
		p.endCertificates(a, state, c)
		return nil
	}
	return p.names(a, state, c)
}

// endCertificates revokes whatever was issued to the account. Nobody is told: messages go
// to active accounts, and the audit log has each certificate. Those of a token that
// changed its owner ended then, so none is on a token of somebody else's.
func (p *Patch) endCertificates(a access.Actor, state State, c *Change) {
	var serials []string
	for _, certificate := range state.Certificates {
		if !certificate.Revoked {
			serials = append(serials, certificate.SerialNumber)
		}
	}
	if len(serials) == 0 {
		return
	}
	id := audit.ID(c.User.ID)
	entry := audit.By(a, audit.CertificateRevoked, "certificate", "", "the account of user "+id+" is disabled").In(c.User.OrganizationID)
	c.Revoke = &Revocation{SerialNumbers: serials, Reason: vault.AffiliationChanged, Entry: entry}
	details := fmt.Sprintf("%d certificates revoked", len(serials))
	c.Entries = append(c.Entries, audit.By(a, audit.UserUpdated, "user", id, details).In(c.User.OrganizationID))
}

// publish carries revocations to the CRL, and counts which of these are not there. All are
// on record: when the vault does not answer, the reconciler goes on.
func (s *Service) publish(ctx context.Context, serialNumbers []string) (left int) {
	left, err := s.Publisher.PublishThose(ctx, serialNumbers)
	if err != nil {
		s.Log.Warn("revocations are not on the CRL yet; the reconciler keeps trying", "error", err)
	}
	return left
}
