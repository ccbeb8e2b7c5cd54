package storetest

import (
	"fmt"
	"testing"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/test/must"
)

// accountOwner: a token is assigned to an account as the caller saw it; if it was moved or disabled
// since, it gets none.
func accountOwner(t *testing.T, f *fixture) {
	gone := f.disabled(t, "gone")
	d := f.device(t, "k-1")
	f.seen = f.newest(t)
	for name, owner := range map[string]account.User{"of another organization": f.bea, "of none": f.admin, "disabled": gone} {
		_, err := f.InsertDevice(t.Context(), hwkey.Device{Serial: "k-2", Status: hwkey.Assigned,
			OwnerID: &owner.ID, OrganizationID: &f.a.ID, RegisteredAt: Now}, entry("x.y", ""))
		refused(t, "a new token, owner "+name, err, fault.Conflict)
		refused(t, "a new owner "+name, errOf(f.tryDevice(t, "k-1", func(d *hwkey.Device) { d.OwnerID = &owner.ID })), fault.Conflict)
	}
	refused(t, "away from its owner", errOf(f.tryDevice(t, "k-1", func(d *hwkey.Device) { d.OrganizationID = &f.b.ID })), fault.Conflict)
	equal(t, "token", must.Get(f.Device(t.Context(), access.All(), "k-1"))(t), d)
	equal(t, "entries", f.logged(t), nil)
	f.editDevice(t, "k-1", ofUserIn(f.bea.ID, f.b.ID)) // both at once
}

// raceAssign: whichever comes first, a token is where its owner is, and a disabled owner has none
// in use that should be suspended.
func raceAssign(t *testing.T, f *fixture) {
	svc := &account.Users{Store: f, Now: stopped}
	for round := range 5 {
		u := f.user(t, fmt.Sprint("round", round), access.User, &f.a.ID)
		serial := func(i int) string { return fmt.Sprintf("key-%d-%d", round, i) }
		for i := range racers {
			f.device(t, serial(i), func(d *hwkey.Device) { d.OwnerID, d.Status = nil, hwkey.InStock })
		}
		patch := account.UserPatch{OrganizationID: ptr(&f.b.ID)}
		if round%2 == 0 {
			patch = account.UserPatch{IsActive: ptr(false), SuspendTokens: true}
		}
		race(func(i int) error {
			if i == racers/2 {
				return errOf(svc.Update(t.Context(), actorOf(f.admin), access.All(), u.ID, patch))
			}
			return errOf(f.tryDevice(t, serial(i), func(d *hwkey.Device) { d.OwnerID, d.Status = &u.ID, hwkey.Assigned }))
		})
		u = must.Get(f.User(t.Context(), access.All(), u.ID))(t)
		for i := range racers {
			d := must.Get(f.Device(t.Context(), access.All(), serial(i)))(t)
			if d.OwnerID != nil && !access.SameID(d.OrganizationID, u.OrganizationID) {
				t.Errorf("%s is in organization %d, its owner in %d", d.Serial, value(d.OrganizationID), value(u.OrganizationID))
			}
			if d.OwnerID != nil && !u.IsActive && d.Status != hwkey.Suspended {
				t.Errorf("%s of a disabled account is %s", d.Serial, d.Status)
			}
		}
	}
}
