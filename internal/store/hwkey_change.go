package store

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/store/sqlcgen"
	"github.com/keyward/keyward/internal/vault"
)

// ChangeDevice implements hwkey.Store.
func (db *DB) ChangeDevice(
	ctx context.Context, scope access.Scope, serial string, owner *int64, decide func(hwkey.Present) (hwkey.Change, error),
) (stored hwkey.Device, err error) {
	err = db.write(ctx, "change device", func(ctx context.Context, t *tx) error {
		standing, err := t.standing(ctx, scope, serial, owner)
		if err != nil {
			return err
		}
		change, err := decide(standing)
		if err != nil {
			return err
		}
		if err := t.writeDevice(ctx, standing.Device, change); err != nil {
			return err
		}
		stored, err = t.deviceByID(ctx, standing.Device.ID)
		return err
	})
	if err != nil {
		return hwkey.Device{}, err
	}
	return stored, nil
}

// standing reads what a change depends on, after taking the locks: the
// owner's first, as a change of the account does.
func (t *tx) standing(ctx context.Context, scope access.Scope, serial string, owner *int64) (s hwkey.Present, err error) {
	if err := t.lockOwner(ctx, owner); err != nil {
		return s, err
	}
	row, err := t.q.LockHWKey(ctx, fold(serial))
	if canonical := piv.CanonicalSerial(serial); none(err) && canonical != serial {
		row, err = t.q.LockHWKey(ctx, fold(canonical))
	}
	if none(err) {
		return s, noDevice
	}
	if err != nil {
		return s, err
	}
	w := &where{}
	w.equal("h.id", row.ID)
	w.scope(scope, deviceScope, nil, nil, false)
	s.Device, err = queryOne(ctx, t.sql, scanDevice, deviceColumns+deviceFrom+w.String(), w.args...)
	if none(err) {
		return s, noDevice
	}
	if err != nil || owner == nil {
		return s, err
	}
	u, err := t.userByID(ctx, *owner)
	if none(err) {
		return s, nil
	}
	s.Owner = &u
	return s, err
}

// writeDevice writes a change of the token as it was.
func (t *tx) writeDevice(ctx context.Context, was hwkey.Device, c hwkey.Change) error {
	d := c.Device
	if len(c.Entries) == 0 {
		if c.Revoke != nil {
			return errors.New("certificates are revoked with a change of their token, and the change has no entry")
		}
		d = was
		d.SecretsVersion, d.RotationPending, d.SecretsChangedAt = c.Device.SecretsVersion, c.Device.RotationPending, c.Device.SecretsChangedAt
		d.SecretsCounter = c.Device.SecretsCounter
		if reflect.DeepEqual(d, was) {
			return nil
		}
	}
	d.Generation = was.Generation
	if c.Revoke != nil {
		d.Generation++
	}
	if !access.SameID(d.OwnerID, was.OwnerID) || !access.SameID(d.OrganizationID, was.OrganizationID) {
		if err := t.checkOrganization(ctx, d.OrganizationID); err != nil {
			return err
		}
		if err := t.checkOwner(ctx, d.OwnerID, d.OrganizationID); err != nil {
			return err
		}
	}
	if err := t.updateDevice(ctx, was.ID, d); err != nil {
		return err
	}
	if err := t.audit(ctx, c.Entries...); err != nil {
		return err
	}
	if c.Revoke != nil {
		return t.revokeLive(ctx, was, *c.Revoke)
	}
	return nil
}

// updateDevice writes all that may change of a row.
func (t *tx) updateDevice(ctx context.Context, id int64, d hwkey.Device) error {
	return t.q.UpdateHWKey(ctx, sqlcgen.UpdateHWKeyParams{
		ID: id, Label: d.Label, LabelKey: fold(d.Label), Model: d.Model, FirmwareVersion: d.FirmwareVersion,
		FormFactor: d.FormFactor, Status: string(d.Status), OwnerID: d.OwnerID, OrganizationID: d.OrganizationID,
		EnrolledAt: microsOf(d.EnrolledAt), LastSeenAt: microsOf(d.LastSeenAt), SecretsVersion: int64(d.SecretsVersion),
		RotationPending: d.RotationPending, SecretsChangedAt: microsOf(d.SecretsChangedAt), Generation: d.Generation,
		SecretsReleased: d.SecretsReleased, SecretsCounter: d.SecretsCounter,
	})
}

// revokeLive revokes every live certificate of a token.
func (t *tx) revokeLive(ctx context.Context, d hwkey.Device, r hwkey.Revocation) error {
	reason := cert.ReasonName(r.Reason)
	rows, err := t.q.RevokeLiveOfHWKey(ctx, sqlcgen.RevokeLiveOfHWKeyParams{At: pointerTo(micros(r.At)), Reason: reason, HwkeyID: d.ID})
	if err != nil {
		return fmt.Errorf("revoke certificates: %w", err)
	}
	for _, row := range rows {
		if err := t.audit(ctx, revocation(r.Entry, row.SerialNumber).Because(reason)); err != nil {
			return err
		}
	}
	if r.Reason == vault.KeyCompromise {
		return t.compromiseToken(ctx, d, r, rows)
	}
	return nil
}

// revocation makes the entry for one of several certificates that a change revokes. The change's
// messages go with its own entry.
func revocation(entry audit.Entry, serialNumber string) audit.Entry {
	entry.Action, entry.TargetType, entry.TargetID = audit.CertificateRevoked, "certificate", serialNumber
	entry.Notify = nil
	return entry
}
