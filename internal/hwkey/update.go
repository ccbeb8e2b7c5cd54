package hwkey

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/vault"
)

// Patch is a PATCH request; nil means unchanged, a pointer to nil clears.
type Patch struct {
	Label           *string
	Model           *string
	FirmwareVersion *string
	FormFactor      *string
	Status          *Status
	OwnerID         **int64
	OrganizationID  **int64
	Reason          string // for the audit log; changes nothing by itself
}

func (p Patch) onlyLost() bool {
	return p.Status != nil && *p.Status == Lost && !p.describes() && p.OwnerID == nil && p.OrganizationID == nil
}

func (p Patch) describes() bool {
	return p.Label != nil || p.Model != nil || p.FirmwareVersion != nil || p.FormFactor != nil
}

// Update changes a token's row. A user may only report their own token lost. Lost,
// retired and a change of owner revoke the token's certificates in the same transaction.
func (s *Service) Update(ctx context.Context, a access.Actor, scope access.Scope, serial string, p Patch) (Device, error) {
	d, _, err := s.update(ctx, a, scope, serial, p)
	return d, err
}

// update also reports whether there was anything to change.
func (s *Service) update(
	ctx context.Context, a access.Actor, scope access.Scope, serial string, p Patch,
) (d Device, changed bool, err error) {
	if scope.Reach == access.Own && !p.onlyLost() {
		return Device{}, false, fault.New(fault.PermissionDenied, "own_token",
			"You can only report your own token lost. Ask an administrator for anything else.")
	}
	var owner *int64
	if p.OwnerID != nil {
		owner = *p.OwnerID
	}
	now := s.Now()
	var former *int64
	var change Change
	d, err = s.Store.ChangeDevice(ctx, scope, serial, owner, func(present Present) (Change, error) {
		former = present.Device.OwnerID
		change, err = p.change(ctx, a, scope, present, now)
		return change, err
	})
	if err != nil || len(change.Entries) == 0 {
		return d, false, err
	}
	if change.Revoke != nil {
		s.publish(ctx)
	}
	if !access.SameID(former, d.OwnerID) {
		d = s.handOver(ctx, d)
	}
	return d, true, nil
}

// handOver updates the vault after a change of owner. The change stands; if this
// fails, the next request for the secrets does it (load).
func (s *Service) handOver(ctx context.Context, d Device) Device {
	ctx = access.OnRecord(context.WithoutCancel(ctx))
	state, err := s.handTo(ctx, d)
	if err == nil && state.Version != d.SecretsVersion {
		if after, err2 := s.follow(ctx, d.Serial, state, func(*Change) {}); err2 == nil {
			return after
		}
	}
	if err != nil {
		s.Log.Warn("the vault does not have a change of owner yet", "serial", d.Serial, "error", err)
	}
	return d
}

// publish sends revocations to the CRL. They are already recorded: if the vault does
// not take them now, the reconciler retries, so the request succeeds.
func (s *Service) publish(ctx context.Context) {
	if err := s.Publisher.PublishRevocations(ctx); err != nil {
		s.Log.Warn("revocations are not on the CRL yet; the reconciler keeps trying", "error", err)
	}
}

// change computes the effect of a patch on a token. Without entries, nothing changes.
func (p Patch) change(ctx context.Context, a access.Actor, scope access.Scope, present Present, now time.Time) (Change, error) {
	if bad := checkTexts(p.Label, p.Model, p.FirmwareVersion, p.FormFactor); len(bad) > 0 {
		return Change{}, fault.Invalid(bad...)
	}
	c := Change{Device: present.Device}
	c.describe(a, p)
	if err := c.reassign(ctx, a, scope, p, present.Owner, now); err != nil {
		return Change{}, err
	}
	err := c.restate(a, p, now)
	for i, e := range c.Entries {
		c.Entries[i] = e.Because(p.Reason)
	}
	return c, err
}

func (c *Change) describe(a access.Actor, p Patch) {
	if !p.describes() {
		return
	}
	set(&c.Device.Label, p.Label)
	set(&c.Device.Model, p.Model)
	set(&c.Device.FirmwareVersion, p.FirmwareVersion)
	set(&c.Device.FormFactor, p.FormFactor)
	c.note(a, audit.HWKeyUpdated, "description changed")
}

func set[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

// note adds an entry, filed in the token's new organization.
func (c *Change) note(a access.Actor, action audit.Action, details string, told ...notify.Message) {
	c.Entries = append(c.Entries, c.Device.entry(a, action, details).Notifying(told...))
}

// reassign changes owner and organization: a token belongs to its owner's
// organization. named is the owner that the patch names.
func (c *Change) reassign(
	ctx context.Context, a access.Actor, scope access.Scope, p Patch, named *account.User, now time.Time,
) error {
	d := c.Device
	ownerID, organizationID := d.OwnerID, d.OrganizationID
	set(&ownerID, p.OwnerID)
	set(&organizationID, p.OrganizationID)
	otherOwner := !access.SameID(ownerID, d.OwnerID)
	if !otherOwner && access.SameID(organizationID, d.OrganizationID) {
		return nil
	}
	switch {
	case scope.Reach != access.Everything && !access.SameID(organizationID, d.OrganizationID):
		return fault.New(fault.PermissionDenied, "hwkey_move", "Only a global administrator can move a token to another organization. Ask one.")
	case otherOwner && (d.Status == Lost || d.Status == Retired):
		return fault.New(fault.Conflict, "reset_before_owner", "A lost or retired token can't get a new owner. Reset it first.")
	case ownerID == nil:
		organizationID = cmp.Or(organizationID, a.OrganizationID)
	case otherOwner:
		if err := mayOwn(scope, named, organizationID); err != nil {
			return err
		}
		if err := d.mayBeGiven(ctx, a, now, "owner_id"); err != nil {
			return err
		}
		organizationID = named.OrganizationID
	case organizationID == nil:
		return nil // it stays with its owner
	default:
		return fault.Invalid(ofAnotherOrganization)
	}
	c.Device.OrganizationID = organizationID
	moved := !access.SameID(organizationID, d.OrganizationID)
	if moved && ownerID == nil {
		if err := d.mayBeGiven(ctx, a, now, "organization_id"); err != nil {
			return err
		}
	}
	switch {
	case otherOwner:
		c.changeOwner(a, named, now)
	case moved:
		c.note(a, audit.HWKeyUpdated, "organization changed")
	}
	if moved { // its managers no longer see the token, so their log says that it left
		c.Entries = append(c.Entries, d.entry(a, audit.HWKeyUpdated, "left the organization"))
	}
	return nil
}

// mayBeGiven demands a fresh proof of identity if secrets were released before and
// the new owner or the managers there could read them: a stock token's staged secrets, say.
func (d Device) mayBeGiven(ctx context.Context, a access.Actor, now time.Time, field string) error {
	switch {
	case !d.SecretsReleased:
		return nil
	case a.APIKeyID != 0:
		return fault.New(fault.PermissionDenied, "api_key_released",
			"This token's secrets were already released, so an API key can't assign it. Sign in as a person.")
	default:
		return access.CheckEffects(ctx, now, field)
	}
}

// changeOwner gives the token to an account, or to nobody.
func (c *Change) changeOwner(a access.Actor, owner *account.User, now time.Time) {
	d := &c.Device
	former := d.OwnerID
	d.OwnerID = nil
	details := "owner removed"
	if owner != nil {
		d.OwnerID = &owner.ID
		details = "owner is now " + owner.Username
	}
	if former != nil {
		d.EnrolledAt = nil
		c.revoke(a, vault.CessationOfOperation, "the token changed owner", now)
		details += "; the token has to be reset, since the former owner knew its secrets"
	}
	switch {
	case d.Status == Suspended:
	case owner != nil && d.EnrolledAt != nil:
		d.Status = Active
	case owner != nil:
		d.Status = Assigned
	case d.Status == Assigned || d.Status == Active:
		d.Status = Suspended
	}
	told := append(d.notify(a, former, notify.TokenTaken, now, nil), d.notifyOwner(a, notify.TokenAssigned, now, nil)...)
	c.note(a, audit.HWKeyAssigned, details, told...)
}

// restate changes the status, by the table.
func (c *Change) restate(a access.Actor, p Patch, now time.Time) error {
	was := c.Device.Status
	if p.Status == nil || *p.Status == was {
		return nil
	}
	next := *p.Status
	if err := c.Device.obstacle(next); err != nil {
		return err
	}
	c.Device.Status = next
	if next.RevokesCertificates() {
		reason := vault.CessationOfOperation
		if next == Lost {
			reason = vault.KeyCompromise
		}
		c.revoke(a, reason, "the token is "+string(next), now)
	}
	c.note(a, audit.HWKeyStatusChanged, fmt.Sprintf("from %s to %s", was, next),
		c.Device.notifyOwner(a, notify.TokenStatus, now, notify.Params{"status": string(next)})...)
	return nil
}

func (c *Change) revoke(a access.Actor, reason vault.Reason, why string, at time.Time) {
	d := c.Device
	entry := audit.By(a, audit.CertificateRevoked, "certificate", "", "token "+d.Serial+": "+why).In(d.OrganizationID)
	c.Revoke = &Revocation{reason, at, entry}
}
