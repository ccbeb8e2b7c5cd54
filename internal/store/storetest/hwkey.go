package storetest

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
)

var deviceCases = map[string]func(*testing.T, *fixture){
	"insert and read":               deviceRead,
	"a serial is taken":             deviceTaken,
	"no such owner or organization": deviceReferences,
	"scope":                         deviceScope,
	"filters":                       deviceFilters,
	"filters by what they are":      deviceNarrowed,
	"a change of every column":      deviceChange,
	"without entries no change":     deviceNothing,
	"what a change is decided on":   deviceStanding,
	"a change is refused":           deviceRefused,
	"a change revokes certificates": deviceRevokes,
	"pending rotations":             devicePending,
}

// tryDevice changes a token, with an entry.
func (f *fixture) tryDevice(t *testing.T, serial string, edit func(*hwkey.Device), more ...func(*hwkey.Change)) (hwkey.Device, error) {
	t.Helper()
	return f.ChangeDevice(t.Context(), access.All(), serial, nil, func(present hwkey.Present) (hwkey.Change, error) {
		updated := entry(audit.HWKeyUpdated, "hwkey")
		updated.TargetID = present.Device.Serial
		c := hwkey.Change{Device: present.Device, Entries: []audit.Entry{updated}}
		edit(&c.Device)
		for _, m := range more {
			m(&c)
		}
		return c, nil
	})
}

func (f *fixture) editDevice(t *testing.T, serial string, edit func(*hwkey.Device), more ...func(*hwkey.Change)) hwkey.Device {
	t.Helper()
	return must.Get(f.tryDevice(t, serial, edit, more...))(t)
}

func unedited(*hwkey.Device) {}

func without(c *hwkey.Change) { c.Entries = nil }

// ofUserIn hands a token over to a user, into an organization.
func ofUserIn(u, organization int64) func(*hwkey.Device) {
	return func(d *hwkey.Device) { d.OwnerID, d.OrganizationID = &u, &organization }
}

// endsCertificates revokes the token's certificates.
func endsCertificates(reason vault.Reason, at time.Time) func(*hwkey.Change) {
	return func(c *hwkey.Change) {
		c.Revoke = &hwkey.Revocation{Reason: reason, At: at, Entry: audit.Entry{Actor: "manager", Outcome: audit.Success}}
	}
}

func deviceRead(t *testing.T, f *fixture) {
	in := hwkey.Device{
		Serial: "Key-0001", Label: "Büro", Model: "YubiKey 5", FirmwareVersion: "5.7.1", FormFactor: "nano", Status: hwkey.Active,
		OwnerID: &f.alex.ID, OrganizationID: &f.a.ID, RegisteredAt: Now, EnrolledAt: ptr(Now.Add(1)), LastSeenAt: ptr(Now.Add(time.Hour)),
		SecretsVersion: 7, RotationPending: true, SecretsChangedAt: ptr(Now.Add(time.Minute)), SecretsCounter: 11,
	}
	in.EnrolledAt = ptr(Now.Add(time.Microsecond))
	d := must.Get(f.InsertDevice(t.Context(), in, entry(audit.HWKeyRegistered, "hwkey")))(t)
	in.ID, in.OwnerUsername, in.OwnerName, in.OwnerEmail, in.OwnerActive = d.ID, "alex", "alex Ähm", "alex@example.org", true
	in.OwnerRole = access.User
	in.OrganizationName = "Acme"
	equal(t, "inserted", d, in)
	for _, serial := range []string{"Key-0001", "key-0001", "KEY-0001"} {
		equal(t, serial, must.Get(f.Device(t.Context(), access.All(), serial))(t), in)
	}
	equal(t, "entries", f.logged(t), []string{"hwkey.registered hwkey Key-0001"})
}

func deviceTaken(t *testing.T, f *fixture) {
	f.device(t, "abcd-1")
	f.seen = f.newest(t)
	_, err := f.InsertDevice(t.Context(), hwkey.Device{Serial: "ABCD-1", Status: hwkey.InStock, RegisteredAt: Now}, entry("x.y", ""))
	refused(t, "taken", err, fault.Conflict)
	equal(t, "entries", f.logged(t), nil)
}

func deviceReferences(t *testing.T, f *fixture) {
	absent := ptr(int64(99999))
	_, err := f.InsertDevice(t.Context(), hwkey.Device{Serial: "abcd", OwnerID: absent, RegisteredAt: Now}, entry("x.y", ""))
	invalid(t, "insert", err, "owner_id")
	_, err = f.InsertDevice(t.Context(), hwkey.Device{Serial: "abcd", OrganizationID: absent, RegisteredAt: Now}, entry("x.y", ""))
	invalid(t, "insert", err, "organization_id")
	f.device(t, "abcd")
	invalid(t, "update", errOf(f.tryDevice(t, "abcd", func(d *hwkey.Device) { d.OwnerID, d.Label = absent, "new" })), "owner_id")
	invalid(t, "update", errOf(f.tryDevice(t, "abcd", func(d *hwkey.Device) { d.OrganizationID = absent })), "organization_id")
	equal(t, "label of what was refused", must.Get(f.Device(t.Context(), access.All(), "abcd"))(t).Label, "")
}

func deviceScope(t *testing.T, f *fixture) {
	f.device(t, "abcd")
	f.device(t, "free", func(d *hwkey.Device) { d.OwnerID, d.OrganizationID = nil, nil })
	for _, c := range []struct {
		name, serial string
		scope        access.Scope
		found        bool
	}{
		{"organization", "abcd", inOrganization(f.a), true}, {"other organization", "abcd", inOrganization(f.b), false},
		{"owner", "abcd", ofUser(f.alex), true}, {"another", "abcd", ofUser(f.manager), false},
		{"no reach", "abcd", access.Scope{}, false}, {"of nobody", "free", inOrganization(f.a), false},
		{"of nobody, all", "free", access.All(), true}, {"absent", "nope", access.All(), false},
	} {
		_, err := f.Device(t.Context(), c.scope, c.serial)
		if c.found {
			must.OK(t, err)
			continue
		}
		refused(t, c.name, err, fault.NotFound)
	}
}

func deviceFilters(t *testing.T, f *fixture) {
	with := func(status hwkey.Status, owner, organization *int64, label string) func(*hwkey.Device) {
		return func(d *hwkey.Device) {
			d.Status, d.OwnerID, d.OrganizationID, d.Label = status, owner, organization, label
		}
	}
	pending := func(d *hwkey.Device) { d.RotationPending = true }
	f.device(t, "key-1", with(hwkey.Active, &f.alex.ID, &f.a.ID, "Red 50%"))
	f.device(t, "key-2", with(hwkey.InStock, nil, &f.a.ID, "blue"))
	f.device(t, "key-3", with(hwkey.Active, &f.bea.ID, &f.b.ID, "RED"))
	f.device(t, "key-4", with(hwkey.Lost, &f.alex.ID, &f.a.ID, ""), pending)
	f.device(t, "Spare-5", with(hwkey.InStock, nil, nil, ""), pending)
	equal(t, "open rotations", must.Get(f.OpenRotations(t.Context()))(t), 2)
	for _, c := range []struct {
		name   string
		scope  access.Scope
		filter hwkey.Filter
		want   string
	}{
		{"all, newest first", access.All(), hwkey.Filter{}, "Spare-5 key-4 key-3 key-2 key-1"},
		{"an organization", inOrganization(f.a), hwkey.Filter{}, "key-4 key-2 key-1"},
		{"own", ofUser(f.alex), hwkey.Filter{}, "key-4 key-1"},
		{"nobody", access.Scope{}, hwkey.Filter{}, ""},
		{"status", access.All(), hwkey.Filter{Status: hwkey.Active}, "key-3 key-1"},
		{"status in organization", inOrganization(f.b), hwkey.Filter{Status: hwkey.Active}, "key-3"},
		{"status of an owner", ofUser(f.alex), hwkey.Filter{Status: hwkey.Lost}, "key-4"},
		{"owner", access.All(), hwkey.Filter{OwnerID: &f.alex.ID}, "key-4 key-1"},
		{"owner in organization", inOrganization(f.a), hwkey.Filter{OwnerID: &f.alex.ID}, "key-4 key-1"},
		{"another owner than oneself", ofUser(f.alex), hwkey.Filter{OwnerID: &f.bea.ID}, ""},
		{"organization", access.All(), hwkey.Filter{OrganizationID: &f.b.ID}, "key-3"},
		{"another organization than one's own", inOrganization(f.a), hwkey.Filter{OrganizationID: &f.b.ID}, ""},
		{"all filters", access.All(), hwkey.Filter{Q: "KEY", Status: hwkey.Lost, OwnerID: &f.alex.ID, OrganizationID: &f.a.ID}, "key-4"},
		{"open rotation", access.All(), hwkey.Filter{RotationPending: true}, "Spare-5 key-4"},
		{"open rotation in organization", inOrganization(f.a), hwkey.Filter{RotationPending: true, Status: hwkey.Lost}, "key-4"},
		{"open rotation elsewhere", inOrganization(f.b), hwkey.Filter{RotationPending: true}, ""},
		{"own open rotation", ofUser(f.alex), hwkey.Filter{RotationPending: true}, "key-4"},
		{"part of serial", access.All(), hwkey.Filter{Q: "spare"}, "Spare-5"},
		{"part of label", access.All(), hwkey.Filter{Q: "red"}, "key-3 key-1"},
		{"part of owner", access.All(), hwkey.Filter{Q: "LEX"}, "key-4 key-1"},
		{"part of the owner's name", access.All(), hwkey.Filter{Q: "x äHM"}, "key-4 key-1"},
		{"no pattern", access.All(), hwkey.Filter{Q: "0%"}, "key-1"},
		{"search stays in scope", inOrganization(f.a), hwkey.Filter{Q: "red"}, "key-1"},
	} {
		rows := walk(t, 2, func(p page.Request) (page.Page[hwkey.Device], error) {
			return f.ListDevices(t.Context(), c.scope, c.filter, p)
		})
		equal(t, c.name, strings.Join(names(rows, func(d hwkey.Device) string { return d.Serial }), " "), c.want)
	}
}

func deviceChange(t *testing.T, f *fixture) {
	want := f.device(t, "abcd")
	f.seen = f.newest(t)
	at := Now.Add(time.Hour)
	d := f.editDevice(t, "ABCD", func(d *hwkey.Device) {
		d.Label, d.Model, d.FirmwareVersion, d.FormFactor, d.Status = "Läb", "m", "5", "ff", hwkey.Active
		d.OwnerID, d.OrganizationID = &f.bea.ID, &f.b.ID
		d.EnrolledAt, d.LastSeenAt, d.SecretsChangedAt = &at, &at, &at
		d.SecretsVersion, d.RotationPending = 3, true
	}, func(c *hwkey.Change) {
		c.Entries = append(c.Entries, audit.Entry{Action: audit.HWKeyEnrolled, Outcome: audit.Success, TargetType: "hwkey", TargetID: "abcd"})
	})
	want.Label, want.Model, want.FirmwareVersion, want.FormFactor, want.Status = "Läb", "m", "5", "ff", hwkey.Active
	want.OwnerID, want.OwnerUsername, want.OwnerName, want.OwnerEmail = &f.bea.ID, "bea", "bea Ähm", "bea@example.org"
	want.OrganizationID, want.OrganizationName = &f.b.ID, "Bolt"
	want.EnrolledAt, want.LastSeenAt, want.SecretsChangedAt = &at, &at, &at
	want.SecretsVersion, want.RotationPending = 3, true
	equal(t, "returned", d, want)
	equal(t, "read", must.Get(f.Device(t.Context(), access.All(), "abcd"))(t), want)
	equal(t, "entries", f.logged(t), []string{"hwkey.updated hwkey abcd", "hwkey.enrolled hwkey abcd"})
	rows := must.Get(f.ListDevices(t.Context(), access.All(), hwkey.Filter{Q: "LÄB"}, page.Request{Limit: 2}))(t)
	equal(t, "found by the new label", len(rows.Items), 1)

	d = f.editDevice(t, "abcd", func(d *hwkey.Device) {
		d.OwnerID, d.OrganizationID, d.EnrolledAt, d.RotationPending = nil, nil, nil, false
	})
	want.OwnerID, want.OwnerUsername, want.OwnerName, want.OwnerEmail, want.OwnerActive = nil, "", "", "", false
	want.OwnerRole = ""
	want.OrganizationID, want.OrganizationName, want.EnrolledAt, want.RotationPending = nil, "", nil, false
	equal(t, "cleared", d, want)
}

// deviceNothing: no change goes unaudited. What the row shows of the vault's document is not a
// change.
func deviceNothing(t *testing.T, f *fixture) {
	want := f.device(t, "abcd", func(d *hwkey.Device) { d.Label, d.EnrolledAt, d.SecretsVersion = "Label", ptr(Now), 2 })
	f.seen = f.newest(t)
	equal(t, "as it was", f.editDevice(t, "abcd", unedited, without), want)
	if _, err := f.tryDevice(t, "abcd", unedited, without, endsCertificates(vault.Superseded, Now)); err == nil {
		t.Error("certificates are revoked without an entry of their token's change")
	}
	got := f.editDevice(t, "abcd", func(d *hwkey.Device) {
		d.Label, d.Status, d.OwnerID, d.OrganizationID, d.EnrolledAt, d.LastSeenAt = "Other", hwkey.Lost, nil, nil, nil, ptr(Now)
		d.SecretsVersion, d.RotationPending, d.SecretsChangedAt = 3, true, ptr(Now)
	}, without)
	want.SecretsVersion, want.RotationPending, want.SecretsChangedAt = 3, true, ptr(Now)
	equal(t, "device", got, want)
	equal(t, "entries", f.logged(t), nil)
}

// deviceStanding: what a change decides on.
func deviceStanding(t *testing.T, f *fixture) {
	want := f.device(t, "abcd")
	absent := int64(99999)
	for name, c := range map[string]struct {
		owner *int64
		want  *account.User
	}{"nobody named": {nil, nil}, "another": {&f.bea.ID, &f.bea}, "its own": {&f.alex.ID, &f.alex}, "none such": {&absent, nil}} {
		_, err := f.ChangeDevice(t.Context(), inOrganization(f.a), "ABCD", c.owner, func(present hwkey.Present) (hwkey.Change, error) {
			equal(t, name, present, hwkey.Present{Device: want, Owner: c.want})
			return hwkey.Change{}, errRefused
		})
		if !errors.Is(err, errRefused) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, c := range map[string]struct {
		scope  access.Scope
		serial string
	}{"other": {inOrganization(f.b), "abcd"}, "another's": {ofUser(f.bea), "abcd"}, "absent": {access.All(), "nope"}} {
		_, err := f.ChangeDevice(t.Context(), c.scope, c.serial, nil, func(present hwkey.Present) (hwkey.Change, error) {
			t.Errorf("%s: asked for a decision", name)
			return hwkey.Change{Device: present.Device}, nil
		})
		refused(t, name, err, fault.NotFound)
	}
}

// deviceRefused: if the decision returns an error, nothing is written, whatever else it returns.
func deviceRefused(t *testing.T, f *fixture) {
	want := f.device(t, "abcd")
	f.certificate(t, f.record("aa", "abcd"))
	f.seen = f.newest(t)
	_, err := f.ChangeDevice(t.Context(), access.All(), "abcd", nil, func(present hwkey.Present) (hwkey.Change, error) {
		c := hwkey.Change{Device: present.Device, Entries: []audit.Entry{entry("x.y", "")}}
		c.Device.Label, c.Device.SecretsVersion = "new", 9
		endsCertificates(vault.Superseded, Now)(&c)
		return c, errRefused
	})
	if !errors.Is(err, errRefused) {
		t.Error(err)
	}
	equal(t, "device", must.Get(f.Device(t.Context(), access.All(), "abcd"))(t), want)
	equal(t, "certificate", must.Get(f.Certificate(t.Context(), access.All(), "aa"))(t).Status, cert.Issued)
	equal(t, "entries", f.logged(t), nil)
}

func deviceRevokes(t *testing.T, f *fixture) {
	f.device(t, "abcd")
	f.device(t, "other")
	at := Now.Add(time.Minute)
	f.certificate(t, f.record("aa", "abcd"))
	f.certificate(t, f.record("bb", "abcd", func(c *cert.Certificate) { c.Slot = "9c" }))
	f.certificate(t, f.record("cc", "abcd", func(c *cert.Certificate) { c.NotAfter = at })) // over by then
	f.certificate(t, f.record("dd", "other"))
	must.Get(f.RevokeCertificate(t.Context(), "bb", vault.KeyCompromise, Now, entry("x.y", "")))(t)
	f.seen = f.newest(t)
	f.editDevice(t, "ABCD", func(d *hwkey.Device) { d.Status = hwkey.Lost }, endsCertificates(vault.CessationOfOperation, at))
	equal(t, "entries", f.logged(t), []string{"hwkey.updated hwkey abcd", "certificate.revoked certificate aa"})
	for serial, want := range map[string]string{"aa": "cessationOfOperation", "bb": "keyCompromise", "cc": "", "dd": ""} {
		equal(t, "reason of "+serial, must.Get(f.Certificate(t.Context(), access.All(), serial))(t).RevocationReason, want)
	}
	c := must.Get(f.Certificate(t.Context(), access.All(), "aa"))(t)
	equal(t, "revoked at", c.RevokedAt, &at)
	equal(t, "published", c.PublishedAt, nil)
}

func devicePending(t *testing.T, f *fixture) {
	f.device(t, "key-0")
	for _, s := range []string{"key-1", "key-2", "key-3"} {
		f.device(t, s, func(d *hwkey.Device) { d.RotationPending = true })
	}
	rows := must.Get(f.DevicesWithPendingRotation(t.Context(), page.Request{Limit: 2}))(t)
	equal(t, "first", names(rows, func(d hwkey.Device) string { return d.Serial }), []string{"key-3", "key-2"})
	rows = must.Get(f.DevicesWithPendingRotation(t.Context(), page.Request{Limit: 2, Before: rows[1].ID}))(t)
	equal(t, "next", names(rows, func(d hwkey.Device) string { return d.Serial }), []string{"key-1"})
}
