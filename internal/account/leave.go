package account

import (
	"context"
	"fmt"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/vault"
)

// Publisher publishes recorded revocations on the CRL.
type Publisher interface {
	// PublishThose publishes all of them, and returns how many of these revoked
	// certificates are not on the CRL yet.
	PublishThose(ctx context.Context, serialNumbers []string) (left int, err error)
}

// Left counts what a change ended of an account's tokens and certificates.
type Left struct {
	TokensSuspended     int64
	CertificatesRevoked int
	// CertificatesUnpublished are those of them that the vault did not take now. They
	// are recorded, and the reconciler retries.
	CertificatesUnpublished int
}

// certificates decides about the account's live certificates: all of them when it is
// disabled and the patch says so, otherwise those with a former name.
func (p *UserPatch) certificates(a access.Actor, state UserState, c *UserChange) error {
	if p.disables() && p.revokes() {
		p.endCertificates(a, state, c)
		return nil
	}
	return p.names(a, state, c)
}

// endCertificates revokes everything issued to the account. It notifies nobody: messages
// go to active accounts, and the audit log has each certificate. A change of owner
// revokes a token's certificates, so none of these is on someone else's token.
func (p *UserPatch) endCertificates(a access.Actor, state UserState, c *UserChange) {
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

// publish publishes revocations on the CRL, and returns how many of these are not on it.
// All are recorded; if the vault does not answer, the reconciler retries.
func (s *Users) publish(ctx context.Context, serialNumbers []string) (left int) {
	left, err := s.Publisher.PublishThose(ctx, serialNumbers)
	if err != nil {
		s.Log.Warn("revocations are not on the CRL yet; the reconciler keeps trying", "error", err)
	}
	return left
}
