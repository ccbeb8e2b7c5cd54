package hwkey

import (
	"context"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/custody"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/vault"
)

// Enrolled records that the card took all three current values. It also records the
// firmware that the card reported if the record has none, unless firmware counts and a
// user reports it, whose token may be too old to qualify. It is idempotent.
func (s *Service) Enrolled(ctx context.Context, a access.Actor, scope access.Scope, serial, firmware string) (Device, error) {
	if bad := checkTexts(nil, nil, &firmware, nil); len(bad) > 0 {
		return Device{}, fault.Invalid(bad...)
	}
	d, err := s.Store.Device(ctx, scope, serial)
	if err != nil {
		return Device{}, err
	}
	if err := d.enrolableBy(a); err != nil {
		return Device{}, err
	}
	state, err := s.move(ctx, d, custody.Document.Enrolled)
	if err != nil {
		return Device{}, err
	}
	if s.FirmwareCounts && a.Role == access.User || d.FirmwareVersion != "" {
		firmware = ""
	}
	if d.EnrolledAt != nil && d.SecretsVersion == state.Version && firmware == "" {
		return d, nil
	}
	at := s.Now()
	return s.Store.ChangeDevice(state.Recording(ctx), access.All(), d.Serial, nil, func(present Present) (Change, error) {
		next := present.Device
		if err := next.enrolableBy(a); err != nil {
			return Change{}, err
		}
		if next.Generation != d.Generation || heldFor(next, state.Document) != nil {
			return Change{}, fault.New(fault.Conflict, "hwkey_changed",
				"The token was reset, reported lost or assigned to someone else. Reload it.")
		}
		if next.OwnerID != nil {
			next.Status = Active
		}
		next.EnrolledAt, next.LastSeenAt = &at, &at
		next.show(state)
		told := ""
		if next.FirmwareVersion == "" && firmware != "" {
			next.FirmwareVersion, told = firmware, "firmware "+firmware
		}
		entry := next.entry(a, audit.HWKeyEnrolled, told)
		if present.Device.EnrolledAt == nil {
			entry = entry.Notifying(next.notifyOwner(a, notify.TokenSetUp, at, nil)...)
		}
		return Change{Device: next, Entries: []audit.Entry{entry}}, nil
	})
}

func (d Device) enrolableBy(a access.Actor) error {
	if err := d.usableBy(a); err != nil {
		return err
	}
	if d.Status == Suspended || d.Status == Lost || d.Status == Retired {
		return fault.Newf(fault.Conflict, "hwkey_not_enrollable",
			"This token is {status}: it can't be set up.", fault.Params{"status": d.Status})
	}
	return nil
}

// Reset prepares the card's own reset: it revokes the token's certificates,
// generates fresh secrets and keeps the former ones. Repeatable.
func (s *Service) Reset(ctx context.Context, a access.Actor, scope access.Scope, serial, reason string) (Device, error) {
	return s.reset(ctx, a, scope, serial, reason, false)
}

// TakeBack is Reset of a token that its owner returned: it has no owner then, and is in stock.
func (s *Service) TakeBack(ctx context.Context, a access.Actor, scope access.Scope, serial, reason string) (Device, error) {
	if scope.Reach == access.Own {
		return Device{}, fault.New(fault.PermissionDenied, "own_token_return",
			"Only an administrator can take a token back. Return yours to one.")
	}
	return s.reset(ctx, a, scope, serial, reason, true)
}

func (s *Service) reset(
	ctx context.Context, a access.Actor, scope access.Scope, serial, reason string, takeBack bool,
) (Device, error) {
	reason, err := CheckReason(reason)
	if err != nil {
		return Device{}, err
	}
	d, err := s.mayUse(ctx, a, scope, serial)
	if err != nil {
		return Device{}, err
	}
	former, owner := d.OwnerID, d.OwnerID
	if takeBack {
		owner = nil
	}
	state, err := s.resetSecrets(ctx, d, owner)
	if err != nil {
		return Device{}, err
	}
	at := s.Now()
	after, err := s.Store.ChangeDevice(state.Recording(ctx), access.All(), d.Serial, nil, func(present Present) (Change, error) {
		c := Change{Device: present.Device}
		next := &c.Device
		if next.Status != d.Status { // such as lost: this reset does not undo that
			return Change{}, fault.New(fault.Conflict, "status_changed", "The token's status has just changed. Reload it.")
		}
		if !access.SameID(next.OwnerID, former) {
			return Change{}, handedOver()
		}
		next.OwnerID = owner
		if err := heldFor(*next, state.Document); err != nil {
			return Change{}, err
		}
		if !access.SameID(owner, former) {
			c.note(a, audit.HWKeyAssigned, "owner removed", next.notify(a, former, notify.TokenTaken, at, nil)...)
		}
		next.Status, next.EnrolledAt = InStock, nil
		if owner != nil {
			next.Status = Assigned
		}
		next.showAnew(state)
		c.note(a, audit.HWKeyReset, "secrets renewed, certificates revoked",
			next.notifyOwner(a, notify.TokenReset, at, notify.Params{"reason": reason})...)
		for i, e := range c.Entries {
			c.Entries[i] = e.Because(reason)
		}
		c.revoke(a, vault.CessationOfOperation, "the token is reset", at)
		return c, nil
	})
	if err != nil {
		return Device{}, err
	}
	s.publish(ctx)
	return after, nil
}

// handTo makes the device's owner, or nobody, the document's owner.
func (s *Service) handTo(ctx context.Context, d Device) (custody.State, error) {
	fresh, err := custody.GenerateAll()
	if err != nil {
		return custody.State{}, err
	}
	return s.Custody.Move(ctx, d.Serial, func(state custody.State) (custody.Document, bool, error) {
		doc, changed := atLeast(d, state).Document.HandTo(fresh, custody.OwnerOf(d.OwnerID), s.Now())
		return doc, changed, nil
	})
}

func (s *Service) resetSecrets(ctx context.Context, d Device, owner *int64) (custody.State, error) {
	fresh, err := custody.GenerateAll()
	if err != nil {
		return custody.State{}, err
	}
	state, err := s.Custody.Move(ctx, d.Serial, func(state custody.State) (custody.Document, bool, error) {
		doc, changed := atLeast(d, state).Document.Reset(fresh, custody.OwnerOf(owner), s.Now())
		return doc, changed, nil
	})
	if !fault.Is(err, fault.NotFound) {
		return state, err
	}
	// The vault lost the document. Only the card's own reset can help.
	return s.Custody.Recreate(ctx, d.Serial, owner, d.SecretsCounter)
}
