package store

import (
	"context"
	"fmt"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/store/sqlcgen"
)

// UpdateDevice implements hwkey.Store. Invalid for owner_id or
// organization_id when there is no such user or organization.
func (db *DB) UpdateDevice(ctx context.Context, serial string, c hwkey.Change, entries ...audit.Entry) (stored hwkey.Device, err error) {
	err = db.write(ctx, "update device", func(ctx context.Context, t *tx) error {
		if c.OwnerID != nil {
			if err := t.lockOwner(ctx, *c.OwnerID); err != nil {
				return err
			}
		}
		row, err := t.HWKeyForChange(ctx, fold(serial))
		if none(err) {
			return noDevice
		}
		if err != nil {
			return err
		}
		if c.ExpectStatus != "" && row.Status != string(c.ExpectStatus) {
			return fault.New(fault.Conflict, "The token's status has changed meanwhile. Load it again.")
		}
		if c.ExpectOwner != nil && !same(row.OwnerID, *c.ExpectOwner) {
			return fault.New(fault.Conflict, "The token's owner has changed meanwhile. Load it again.")
		}
		if c.ExpectIn != nil && !same(row.OrganizationID, *c.ExpectIn) {
			return fault.New(fault.Conflict, "The token was moved to another organization meanwhile. Load it again.")
		}
		next := changed(row, c)
		if err := t.checkReferences(ctx, c, next); err != nil {
			return err
		}
		if err := t.UpdateHWKey(ctx, next); err != nil {
			return err
		}
		if err := t.audit(ctx, about(entries, "hwkey", row.Serial)...); err != nil {
			return err
		}
		if c.Released != nil {
			if err := t.released(ctx, *c.Released); err != nil {
				return err
			}
		}
		if c.RevokeCertificates != nil {
			if err := t.revokeLive(ctx, row.ID, c); err != nil {
				return err
			}
		}
		stored, err = t.device(ctx, row.ID)
		return err
	})
	if err != nil {
		return hwkey.Device{}, err
	}
	return stored, nil
}

func same(a, b *int64) bool { return (a == nil) == (b == nil) && (a == nil || *a == *b) }

func (t *tx) checkReferences(ctx context.Context, c hwkey.Change, next sqlcgen.UpdateHWKeyParams) error {
	if c.OwnerID == nil && c.OrganizationID == nil {
		return nil
	}
	if err := t.checkOrganization(ctx, next.OrganizationID); err != nil {
		return err
	}
	return t.checkOwner(ctx, next.OwnerID, next.OrganizationID)
}

// changed is the row with the change applied.
func changed(row sqlcgen.HWKeyForChangeRow, c hwkey.Change) sqlcgen.UpdateHWKeyParams {
	p := sqlcgen.UpdateHWKeyParams{
		ID: row.ID, Label: row.Label, Model: row.Model, FirmwareVersion: row.FirmwareVersion,
		FormFactor: row.FormFactor, Status: row.Status, OwnerID: row.OwnerID, OrganizationID: row.OrganizationID,
		EnrolledAt: row.EnrolledAt, LastSeenAt: row.LastSeenAt, SecretsVersion: row.SecretsVersion,
		RotationPending: row.RotationPending, SecretsChangedAt: row.SecretsChangedAt, Generation: row.Generation,
	}
	if c.RevokeCertificates != nil {
		p.Generation++
	}
	set(&p.Label, c.Label)
	set(&p.Model, c.Model)
	set(&p.FirmwareVersion, c.FirmwareVersion)
	set(&p.FormFactor, c.FormFactor)
	set(&p.OwnerID, c.OwnerID)
	set(&p.OrganizationID, c.OrganizationID)
	if c.Status != nil {
		p.Status = string(*c.Status)
	}
	if c.EnrolledAt != nil {
		p.EnrolledAt = microsOf(*c.EnrolledAt)
	}
	if c.LastSeenAt != nil {
		p.LastSeenAt = microsOf(c.LastSeenAt)
	}
	if c.SecretsAnew || c.SecretsVersion == nil || int64(*c.SecretsVersion) >= row.SecretsVersion {
		project(&p, c)
	}
	p.LabelKey = fold(p.Label)
	return p
}

// project applies what the change says of the vault's document.
func project(p *sqlcgen.UpdateHWKeyParams, c hwkey.Change) {
	set(&p.RotationPending, c.RotationPending)
	if c.SecretsVersion != nil {
		p.SecretsVersion = int64(*c.SecretsVersion)
	}
	if c.SecretsChangedAt != nil {
		p.SecretsChangedAt = microsOf(c.SecretsChangedAt)
	}
}

func set[T any](column, change *T) {
	if change != nil {
		*column = *change
	}
}

// revokeLive revokes every live certificate of a token.
func (t *tx) revokeLive(ctx context.Context, hwkeyID int64, c hwkey.Change) error {
	at := c.RevokedAt
	if at.IsZero() {
		at = t.now()
	}
	rows, err := t.RevokeLiveOfHWKey(ctx, sqlcgen.RevokeLiveOfHWKeyParams{
		At: pointerTo(micros(at)), Reason: cert.ReasonName(*c.RevokeCertificates), HwkeyID: hwkeyID})
	if err != nil {
		return fmt.Errorf("revoke certificates: %w", err)
	}
	for _, row := range rows {
		if err := t.audit(ctx, revocation(c.RevokeEntry, row.SerialNumber)); err != nil {
			return err
		}
	}
	return nil
}

// revocation makes the entry about one of several certificates that a change
// revokes.
func revocation(entry audit.Entry, serialNumber string) audit.Entry {
	entry.Action, entry.TargetType, entry.TargetID = audit.CertificateRevoked, "certificate", serialNumber
	return entry
}
