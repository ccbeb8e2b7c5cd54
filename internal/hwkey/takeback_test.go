package hwkey_test

import (
	"slices"
	"testing"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/hwkey"
)

// TestTakeBack: whatever became of a token, it is in stock without an owner in one step, and can be
// given to someone else. Repeating it is harmless; the owner cannot do it, and is told once.
func TestTakeBack(t *testing.T) {
	t.Parallel()
	w := setup(t)
	takeBack := func(a access.Actor, serial string) (hwkey.Device, error) {
		return w.keys.TakeBack(t.Context(), a, scope(t, a), serial, "left")
	}
	for _, status := range []hwkey.Status{hwkey.Assigned, hwkey.Active, hwkey.Suspended, hwkey.Lost, hwkey.Retired} {
		serial := "key-" + string(status)
		w.register(t, serial, &w.alex)
		must(t, w.release(t, w.alex, serial))
		switch status {
		case hwkey.Assigned:
		case hwkey.Active:
			_, err := w.keys.Enrolled(t.Context(), w.alex, scope(t, w.alex), serial, "")
			must(t, err)
		default:
			_, err := w.keys.Update(t.Context(), w.manager, scope(t, w.manager), serial, hwkey.Patch{Status: &status})
			must(t, err)
		}
		_, err := takeBack(w.alex, serial)
		code(t, string(status)+", by its owner", err, fault.PermissionDenied)
		_, err = takeBack(w.other, serial)
		code(t, string(status)+", from another organization", err, fault.NotFound)
		before := len(w.told(t, w.alex))
		for range 2 {
			d, err := takeBack(w.manager, serial)
			must(t, err)
			if d.Status != hwkey.InStock || d.OwnerID != nil || d.EnrolledAt != nil || !access.SameID(d.OrganizationID, &w.a.ID) {
				t.Errorf("%s, taken back: %+v", status, d)
			}
		}
		if got, want := w.told(t, w.alex)[before:], []string{"token_taken manager " + serial}; !slices.Equal(got, want) {
			t.Errorf("%s: its owner was told %q, want %q", status, got, want)
		}
		code(t, string(status)+", its former owner", w.release(t, w.alex, serial), fault.NotFound)
		w.manager.AuthenticatedAt = w.now()
		amy := &w.amy.UserID
		_, err = w.keys.Update(t.Context(), w.manager, scope(t, w.manager), serial, hwkey.Patch{OwnerID: &amy})
		must(t, err)
		must(t, w.release(t, w.amy, serial))
	}
}
