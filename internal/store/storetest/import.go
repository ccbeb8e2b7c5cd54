package storetest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
)

var importCases = map[string]func(*testing.T, *fixture){
	"many at once, each for itself": importMany,
	"devices by serial":             importBySerial,
	"an organization by name":       importOrganization,
	"generations":                   generations,
}

func importMany(t *testing.T, f *fixture) {
	taken, gone := f.device(t, "taken"), f.disabled(t, "gone")
	f.seen = f.newest(t)
	row := func(serial string, owner, organization *int64) hwkey.NewDevice {
		return hwkey.NewDevice{
			Device: hwkey.Device{Serial: serial, Status: hwkey.InStock, OwnerID: owner, OrganizationID: organization,
				RegisteredAt: Now, Label: serial + "!"},
			Entry: entry(audit.HWKeyImported, "hwkey"),
		}
	}
	outcomes := must.Get(f.InsertDevices(t.Context(), []hwkey.NewDevice{
		row("key-1", nil, &f.a.ID), row("TAKEN", nil, nil), row("key-2", &f.alex.ID, &f.a.ID),
		row("key-3", ptr(int64(99999)), nil), row("key-4", nil, ptr(int64(99999))), row("KEY-1", nil, nil), row("key-5", nil, nil),
		row("key-6", &gone.ID, &f.a.ID), row("key-7", &f.bea.ID, &f.a.ID),
	}))(t)
	equal(t, "outcomes", len(outcomes), 9)
	refused(t, "taken", outcomes[1], fault.Conflict)
	invalid(t, "no owner", outcomes[3], "owner_id")
	invalid(t, "no organization", outcomes[4], "organization_id")
	refused(t, "twice", outcomes[5], fault.Conflict)
	refused(t, "a disabled owner", outcomes[7], fault.Conflict)
	refused(t, "an owner of another organization", outcomes[8], fault.Conflict)
	for _, i := range []int{0, 2, 6} {
		must.OK(t, outcomes[i])
	}
	equal(t, "entries", f.logged(t), []string{"hwkey.imported hwkey key-1", "hwkey.imported hwkey key-2", "hwkey.imported hwkey key-5"})
	d := must.Get(f.Device(t.Context(), access.All(), "key-2"))(t)
	equal(t, "owner and label", d.OwnerUsername+d.Label, "alexkey-2!")
	d = must.Get(f.Device(t.Context(), access.All(), "taken"))(t)
	equal(t, "the one that was there", d, taken)
	refused(t, "what was refused", errOf(f.Device(t.Context(), access.All(), "key-3")), fault.NotFound)
	outcomes = must.Get(f.InsertDevices(t.Context(), nil))(t)
	equal(t, "none", len(outcomes), 0)
}

func importBySerial(t *testing.T, f *fixture) {
	var ask, want []string
	for i := range 9 {
		serial := fmt.Sprint("Key-", i)
		want = append(want, serial)
		f.device(t, serial, func(d *hwkey.Device) { d.OwnerID, d.OrganizationID = nil, nil })
	}
	for i := range 1200 { // more than one statement names
		ask = append(ask, fmt.Sprint("kEY-", i))
	}
	rows := must.Get(f.DevicesBySerial(t.Context(), ask))(t)
	got := names(rows, func(d hwkey.Device) string { return d.Serial })
	slices.Sort(got)
	equal(t, "found", got, want)
	rows = must.Get(f.DevicesBySerial(t.Context(), nil))(t)
	equal(t, "none", len(rows), 0)
}

func importOrganization(t *testing.T, f *fixture) {
	for _, scope := range []access.Scope{access.All(), inOrganization(f.a)} {
		equal(t, "organization", must.Get(f.OrganizationByName(t.Context(), scope, "aCME"))(t), f.a)
	}
	refused(t, "another's", errOf(f.OrganizationByName(t.Context(), inOrganization(f.b), "Acme")), fault.NotFound)
	refused(t, "a part of the name", errOf(f.OrganizationByName(t.Context(), access.All(), "Acm")), fault.NotFound)
}

// generations: a certificate for a key of an earlier generation is not recorded.
func generations(t *testing.T, f *fixture) {
	d := f.device(t, "abcd")
	equal(t, "at first", d.Generation, 0)
	d = f.editDevice(t, "abcd", func(d *hwkey.Device) { d.Label, d.Generation = "x", 7 })
	equal(t, "after a change of label", d.Generation, 0)
	d = f.editDevice(t, "abcd", unedited, endsCertificates(vault.CessationOfOperation, Now))
	equal(t, "after a reset", d.Generation, 1)
	read := must.Get(f.Device(t.Context(), access.All(), "abcd"))(t)
	equal(t, "read", read, d)
	f.seen = f.newest(t)
	_, _, err := f.InsertCertificate(t.Context(), f.record("aa", "abcd"), entry(audit.CertificateIssued, "certificate"))
	refused(t, "a certificate of the time before", err, fault.Conflict)
	equal(t, "entries", f.logged(t), nil)
	f.certificate(t, f.record("bb", "abcd", func(c *cert.Certificate) { c.Generation = 1 }))
}
