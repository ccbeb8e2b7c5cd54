package store

import (
	"cmp"
	"context"
	"slices"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/store/sqlcgen"
)

// DevicesBySerial implements hwkey.Store.
func (db *DB) DevicesBySerial(ctx context.Context, serials []string) ([]hwkey.Device, error) {
	keys := make([]string, len(serials))
	for i, s := range serials {
		keys[i] = fold(s)
	}
	var out []hwkey.Device
	for part := range slices.Chunk(keys, chunk) {
		w := &where{}
		oneOf(w, "h.serial_key", part)
		rows, err := queryAll(ctx, db.read, scanDevice, deviceColumns+deviceFrom+w.String(), w.args...)
		if err != nil {
			return nil, asFault("devices by serial", err)
		}
		out = append(out, rows...)
	}
	return out, nil
}

// InsertDevices implements hwkey.Store.
func (db *DB) InsertDevices(ctx context.Context, devices []hwkey.NewDevice) (outcomes []error, err error) {
	err = db.write(ctx, "insert devices", func(ctx context.Context, t *tx) error {
		outcomes = make([]error, len(devices))
		order, err := t.lockInOrder(ctx, devices)
		if err != nil {
			return err
		}
		for _, i := range order {
			n := devices[i]
			_, err := t.addDevice(ctx, n.Device)
			if f, ok := fault.As(err); ok && (f.Code == fault.Conflict || f.Code == fault.InvalidRequest) {
				outcomes[i] = err // nothing of it was written
				continue
			}
			if err != nil {
				return err
			}
			if err := t.audit(ctx, about([]audit.Entry{n.Entry}, "hwkey", n.Device.Serial)...); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return outcomes, nil
}

// lockInOrder locks the owners of devices and returns the order in which to insert them:
// transactions that take the same locks in the same order cannot deadlock.
func (t *tx) lockInOrder(ctx context.Context, devices []hwkey.NewDevice) ([]int, error) {
	order, owners := make([]int, len(devices)), []int64{}
	for i, n := range devices {
		order[i] = i
		if n.Device.OwnerID != nil {
			owners = append(owners, *n.Device.OwnerID)
		}
	}
	slices.Sort(owners)
	for _, id := range slices.Compact(owners) {
		if err := t.lockOwner(ctx, &id); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(fold(devices[a].Device.Serial), fold(devices[b].Device.Serial))
	})
	return order, nil
}

// addDevice returns the new row's number. Conflict if the serial is taken, Invalid for an unknown
// owner or organization; then nothing is written.
func (t *tx) addDevice(ctx context.Context, d hwkey.Device) (int64, error) {
	if err := t.lockOwner(ctx, d.OwnerID); err != nil {
		return 0, err
	}
	if err := t.checkOwner(ctx, d.OwnerID, d.OrganizationID); err != nil {
		return 0, err
	}
	if err := t.checkOrganization(ctx, d.OrganizationID); err != nil {
		return 0, err
	}
	id, err := t.q.InsertHWKey(ctx, sqlcgen.InsertHWKeyParams{
		Serial: d.Serial, SerialKey: fold(d.Serial), Label: d.Label, LabelKey: fold(d.Label), Model: d.Model,
		FirmwareVersion: d.FirmwareVersion, FormFactor: d.FormFactor, Status: string(d.Status), OwnerID: d.OwnerID,
		OrganizationID: d.OrganizationID, RegisteredAt: micros(d.RegisteredAt), EnrolledAt: microsOf(d.EnrolledAt),
		LastSeenAt: microsOf(d.LastSeenAt), SecretsVersion: int64(d.SecretsVersion),
		RotationPending: d.RotationPending, SecretsChangedAt: microsOf(d.SecretsChangedAt),
		SecretsReleased: d.SecretsReleased, SecretsCounter: d.SecretsCounter,
	})
	if none(err) {
		return 0, fault.New(fault.Conflict, "hwkey_exists", "A token with this serial number is already registered.")
	}
	return id, err
}

// OrganizationByName implements hwkey.Directory: ignoring case, NotFound
// outside scope.
func (db *DB) OrganizationByName(ctx context.Context, scope access.Scope, name string) (account.Organization, error) {
	w := &where{}
	w.equal("o.name_key", fold(name))
	w.scope(scope, columns{organization: "o.id"}, nil, nil, false)
	o, err := queryOne(ctx, db.read, scanOrganization, organizationColumns+organizationFrom+w.String(), w.args...)
	if none(err) {
		err = fault.New(fault.NotFound, "no_organization", "There is no such organization.")
	}
	return o, asFault("organization by name", err)
}
