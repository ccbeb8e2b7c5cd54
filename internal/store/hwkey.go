package store

import (
	"context"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/piv"
)

// InsertDevice implements hwkey.Store. Invalid for owner_id or
// organization_id when there is no such user or organization.
func (db *DB) InsertDevice(ctx context.Context, d hwkey.Device, entry audit.Entry) (stored hwkey.Device, err error) {
	err = db.write(ctx, "insert device", func(ctx context.Context, t *tx) error {
		id, err := t.addDevice(ctx, d)
		if err != nil {
			return err
		}
		if stored, err = t.deviceByID(ctx, id); err != nil {
			return err
		}
		return t.audit(ctx, about([]audit.Entry{entry}, "hwkey", d.Serial)...)
	})
	if err != nil {
		return hwkey.Device{}, err
	}
	return stored, nil
}

const deviceColumns = `SELECT h.id, h.serial, h.label, h.model, h.firmware_version, h.form_factor, h.status, h.owner_id,
	COALESCE(u.username, ''), COALESCE(u.name, ''), COALESCE(u.email, ''), COALESCE(u.is_active, FALSE), COALESCE(u.upn, ''),
	COALESCE(u.sid, ''), COALESCE(u.role, ''), h.organization_id, COALESCE(o.name, ''), COALESCE(o.kerberos_realm, ''),
	h.registered_at, h.enrolled_at, h.last_seen_at, h.secrets_version, h.rotation_pending,
	h.secrets_changed_at, h.secrets_released, h.generation, h.secrets_counter`

const (
	deviceTable = " FROM hwkeys AS h"
	deviceJoin  = ` LEFT JOIN users AS u ON u.id = h.owner_id LEFT JOIN organizations AS o ON o.id = h.organization_id`
	deviceFrom  = deviceTable + deviceJoin
)

func scanDevice(row scanner) (d hwkey.Device, err error) {
	var registered int64
	var enrolled, seen, changed *int64
	err = row.Scan(&d.ID, &d.Serial, &d.Label, &d.Model, &d.FirmwareVersion, &d.FormFactor, &d.Status, &d.OwnerID,
		&d.OwnerUsername, &d.OwnerName, &d.OwnerEmail, &d.OwnerActive, &d.OwnerUPN, &d.OwnerSID, &d.OwnerRole, &d.OrganizationID,
		&d.OrganizationName, &d.KerberosRealm, &registered, &enrolled, &seen, &d.SecretsVersion,
		&d.RotationPending, &changed, &d.SecretsReleased, &d.Generation, &d.SecretsCounter)
	d.RegisteredAt = moment(registered)
	d.EnrolledAt, d.LastSeenAt, d.SecretsChangedAt = momentOf(enrolled), momentOf(seen), momentOf(changed)
	return d, err
}

func (t *tx) deviceByID(ctx context.Context, id int64) (hwkey.Device, error) {
	return queryOne(ctx, t.sql, scanDevice, deviceColumns+deviceFrom+" WHERE h.id = $1", id)
}

var noDevice = fault.New(fault.NotFound, "no_hwkey", "There is no such token.")

var deviceSorts = map[string]sortable{
	"serial": distinct("h.serial_key"), "label": textual("h.label_key"), "status": textual("h.status"), "registered": asMade,
}

// deviceKey returns the value that a list is sorted by; nil if that is the id.
func deviceKey(s page.Sort) func(hwkey.Device) string {
	switch name, _ := s.By(); name {
	case "serial":
		return func(d hwkey.Device) string { return fold(d.Serial) }
	case "label":
		return func(d hwkey.Device) string { return fold(d.Label) }
	case "status":
		return func(d hwkey.Device) string { return string(d.Status) }
	case "registered":
		return func(hwkey.Device) string { return "" }
	}
	return nil
}

var deviceScope = columns{"h.organization_id", "h.owner_id"}

// Device implements hwkey.Store.
func (db *DB) Device(ctx context.Context, scope access.Scope, serial string) (hwkey.Device, error) {
	w := &where{}
	if canonical := piv.CanonicalSerial(serial); canonical == serial {
		w.equal("h.serial_key", fold(serial))
	} else { // whatever the scope: which token is meant is the same to all
		w.is("h.serial_key = COALESCE((SELECT k.serial_key FROM hwkeys AS k WHERE k.serial_key = " + w.arg(fold(serial)) + "), " +
			w.arg(fold(canonical)) + ")")
	}
	w.scope(scope, deviceScope, nil, nil, false)
	d, err := queryOne(ctx, db.read, scanDevice, deviceColumns+deviceFrom+w.String(), w.args...)
	if none(err) {
		err = noDevice
	}
	return d, asFault("device", err)
}

// ListDevices implements hwkey.Store.
func (db *DB) ListDevices(ctx context.Context, scope access.Scope, f hwkey.Filter, p page.Request) (page.Page[hwkey.Device], error) {
	w := &where{}
	// Open rotations are few: their own index finds them, not the organization's.
	// So are tokens whose certificates end soon.
	rare := f.RotationPending || f.ExpiringDays > 0
	reach := w.scope(scope, deviceScope, f.OwnerID, f.OrganizationID, !rare)
	few := reach == access.Own || rare
	o, err := db.orderOf(deviceSorts, f.Sort, few, p)
	if err != nil {
		return page.Page[hwkey.Device]{}, err
	}
	if f.RotationPending {
		w.is("h.rotation_pending = TRUE")
	}
	if name, _ := f.Sort.By(); name == "status" && f.Status != "" {
		o = o.among()
	}
	if f.Status != "" { // the indexes of the orders hold it, too
		w.text("h.status", string(f.Status), !few && (o.column == "" || o.bare))
	}
	if err := db.deviceConditions(ctx, w, f); err != nil {
		return page.Page[hwkey.Device]{}, err
	}
	if f.Q != "" {
		w.contains(f.Q, "h.serial_key", "h.label_key", "u.username_key", "u.name_key")
	}
	list := listed[hwkey.Device]{deviceColumns, deviceTable, deviceJoin, "h.id", scanDevice, func(d hwkey.Device) int64 { return d.ID }}
	return list.sorted(ctx, db, "list devices", w, o, deviceKey(f.Sort), p)
}

// DevicesWithPendingRotation implements hwkey.Store. It returns at most p.Limit devices; the caller
// continues with the last one's ID as Before.
func (db *DB) DevicesWithPendingRotation(ctx context.Context, p page.Request) ([]hwkey.Device, error) {
	w := &where{}
	w.is("h.rotation_pending = TRUE")
	w.before("h.id", p.Before)
	rows, err := queryAll(ctx, db.read, scanDevice,
		deviceColumns+deviceFrom+w.String()+" ORDER BY h.id DESC LIMIT "+w.arg(p.Limit), w.args...)
	return rows, asFault("devices with pending rotation", err)
}
