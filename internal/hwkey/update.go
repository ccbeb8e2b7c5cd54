package hwkey

import (
	"context"
	"fmt"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/user"
	"github.com/keyward/keyward/internal/vault"
)

// Patch is what a PATCH asks for; nil is unchanged, a pointer to nil clears.
type Patch struct {
	Label           *string
	Model           *string
	FirmwareVersion *string
	FormFactor      *string
	Status          *Status
	OwnerID         **int64
	OrganizationID  **int64
}

func (p Patch) onlyLost() bool {
	return p.Status != nil && *p.Status == Lost && p.Label == nil && p.Model == nil &&
		p.FirmwareVersion == nil && p.FormFactor == nil && p.OwnerID == nil && p.OrganizationID == nil
}

// Update changes a token's row. A user may only report the own token lost.
// Lost, retired and a change of owner revoke the token's certificates in the
// same transaction.
func (s *Service) Update(ctx context.Context, a access.Actor, scope access.Scope, serial string, p Patch) (Device, error) {
	d, _, err := s.update(ctx, a, scope, serial, p)
	return d, err
}

// update also tells whether there was anything to change.
func (s *Service) update(ctx context.Context, a access.Actor, scope access.Scope, serial string, p Patch) (d Device, changed bool, err error) {
	if scope.Reach == access.Own && !p.onlyLost() {
		return Device{}, false, fault.New(fault.PermissionDenied, "You may report your own token lost. For anything else ask an administrator.")
	}
	d, err = s.Store.Device(ctx, scope, serial)
	if err != nil {
		return Device{}, false, err
	}
	if bad := checkTexts(p.Label, p.Model, p.FirmwareVersion, p.FormFactor); len(bad) > 0 {
		return Device{}, false, fault.InvalidFields(bad...)
	}
	change := Change{ExpectStatus: d.Status, ExpectOwner: &d.OwnerID, ExpectIn: &d.OrganizationID, Label: p.Label, Model: p.Model, FirmwareVersion: p.FirmwareVersion, FormFactor: p.FormFactor}
	entries := []audit.Entry{}
	if p.Label != nil || p.Model != nil || p.FirmwareVersion != nil || p.FormFactor != nil {
		entries = append(entries, audit.By(a, audit.HWKeyUpdated, "hwkey", d.Serial, "description changed").In(d.OrganizationID))
	}
	next, entry, err := s.reassign(ctx, a, scope, d, p, &change)
	if err != nil {
		return Device{}, false, err
	}
	entries = append(entries, entry...)
	entry, err = s.restate(a, next, p, &change)
	if err != nil {
		return Device{}, false, err
	}
	entries = append(entries, entry...)
	if len(entries) == 0 {
		return d, false, nil
	}
	updated, err := s.Store.UpdateDevice(ctx, d.Serial, change, entries...)
	if err != nil {
		return Device{}, false, err
	}
	if change.RevokeCertificates != nil {
		s.publish(ctx)
	}
	if change.OwnerID != nil {
		updated = s.handOver(ctx, updated)
	}
	return updated, true, nil
}

// handOver lets the vault follow a change of owner. The change stands; what
// fails here is done by whoever asks for the secrets next (load).
func (s *Service) handOver(ctx context.Context, d Device) Device {
	ctx = context.WithoutCancel(ctx)
	state, err := s.handTo(ctx, d)
	if err == nil && state.Version != d.SecretsVersion {
		change := Change{}
		s.project(&change, state)
		if after, err2 := s.Store.UpdateDevice(ctx, d.Serial, change); err2 == nil {
			return after
		}
	}
	if err != nil {
		s.Log.Warn("the vault has not followed a change of owner yet", "serial", d.Serial, "error", err)
	}
	return d
}

// publish carries revocations to the CRL. They are on record: when the vault
// does not take them now, the reconciler goes on, so the answer stands.
func (s *Service) publish(ctx context.Context) {
	if err := s.Publisher.PublishRevocations(ctx); err != nil {
		s.Log.Warn("revocations are not on the CRL yet; the reconciler goes on", "error", err)
	}
}

// reassign writes a change of owner or organization into change and returns
// the device as it then is.
func (s *Service) reassign(ctx context.Context, a access.Actor, scope access.Scope, d Device, p Patch, change *Change) (Device, []audit.Entry, error) {
	if p.OwnerID == nil && p.OrganizationID == nil {
		return d, nil, nil
	}
	ownerID, organizationID := d.OwnerID, d.OrganizationID
	if p.OwnerID != nil {
		ownerID = *p.OwnerID
	}
	if p.OrganizationID != nil {
		organizationID = *p.OrganizationID
		if scope.Reach != access.Everything && !sameID(organizationID, d.OrganizationID) {
			return d, nil, fault.New(fault.PermissionDenied, "Only a global administrator moves a token to another organization.")
		}
	}
	if d.Status == Lost || d.Status == Retired {
		if !sameID(ownerID, d.OwnerID) {
			return d, nil, fault.New(fault.Conflict, "A lost or retired token has to be reset before it gets a new owner.")
		}
	}
	var owner *user.User
	if !sameID(ownerID, d.OwnerID) || !sameID(organizationID, d.OrganizationID) {
		var err error
		if owner, organizationID, err = s.place(ctx, a, scope, ownerID, organizationID); err != nil {
			return d, nil, err
		}
	}
	if sameID(ownerID, d.OwnerID) && sameID(organizationID, d.OrganizationID) {
		return d, nil, nil
	}
	former := d.OrganizationID
	d.OrganizationID = organizationID
	change.OrganizationID = &organizationID
	entries := []audit.Entry{audit.By(a, audit.HWKeyUpdated, "hwkey", d.Serial, "organization changed").In(organizationID)}
	if !sameID(ownerID, d.OwnerID) {
		d, entries = s.changeOwner(a, d, owner, change)
	}
	if !sameID(former, organizationID) {
		// Its managers see the token no more, so they are told where it went.
		entries = append(entries, audit.By(a, audit.HWKeyUpdated, "hwkey", d.Serial, "left the organization").In(former))
	}
	return d, entries, nil
}

// changeOwner works the change out; nothing is written yet.
func (s *Service) changeOwner(a access.Actor, d Device, owner *user.User, change *Change) (Device, []audit.Entry) {
	former := d.OwnerID
	d.OwnerID = nil
	details := "owner removed"
	if owner != nil {
		d.OwnerID = &owner.ID
		details = "owner is now " + owner.Username
	}
	change.OwnerID = &d.OwnerID
	if former != nil {
		d.EnrolledAt = nil
		change.EnrolledAt = &d.EnrolledAt
		s.revoke(a, d, change, vault.CessationOfOperation, "the token changed owner")
		details += "; the token has to be reset, since the former owner knew its secrets"
	}
	status := d.Status
	switch {
	case owner == nil && (status == Assigned || status == Active):
		status = Suspended
	case owner != nil && status != Suspended && d.EnrolledAt != nil:
		status = Active
	case owner != nil && status != Suspended:
		status = Assigned
	}
	if status != d.Status {
		d.Status = status
		change.Status = &status
	}
	return d, []audit.Entry{audit.By(a, audit.HWKeyAssigned, "hwkey", d.Serial, details).In(d.OrganizationID)}
}

// restate writes a change of status into change, by the table.
func (s *Service) restate(a access.Actor, d Device, p Patch, change *Change) ([]audit.Entry, error) {
	if p.Status == nil || *p.Status == d.Status {
		return nil, nil
	}
	next := *p.Status
	if err := d.obstacle(next); err != nil {
		return nil, err
	}
	change.Status = &next
	if next.RevokesCertificates() {
		reason := vault.CessationOfOperation
		if next == Lost {
			reason = vault.KeyCompromise
		}
		s.revoke(a, d, change, reason, "the token is "+string(next))
	}
	return []audit.Entry{audit.By(a, audit.HWKeyStatusChanged, "hwkey", d.Serial,
		fmt.Sprintf("from %s to %s", d.Status, next)).In(d.OrganizationID)}, nil
}

func (s *Service) revoke(a access.Actor, d Device, change *Change, reason vault.Reason, why string) {
	change.RevokeCertificates, change.RevokedAt = &reason, s.Now()
	change.RevokeEntry = audit.By(a, audit.CertificateRevoked, "certificate", "", "token "+d.Serial+": "+why).In(d.OrganizationID)
}
