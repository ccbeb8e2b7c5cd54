package hwkey_test

import (
	"testing"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/hwkey"
)

// TestBarred: "suspended and lost stop … the owner's access"; so does retired. A
// manager may only read the secrets and reset the token.
func TestBarred(t *testing.T) {
	t.Parallel()
	w := setup(t)
	deeds := map[string]func(a access.Actor, serial string) error{
		"secrets":  func(a access.Actor, serial string) error { return w.release(t, a, serial) },
		"rotation": func(a access.Actor, serial string) error { return w.rotate(t, a, serial) },
		"enrolled": func(a access.Actor, serial string) error {
			_, err := w.keys.Enrolled(t.Context(), a, scope(t, a), serial, "")
			return err
		},
		"sign": func(a access.Actor, serial string) error {
			_, err := w.certs.Sign(t.Context(), a, scope(t, a), serial, cert.SignRequest{CSR: csr(t, serial), Slot: "9c", Reason: "look"})
			return err
		},
		"reset": func(a access.Actor, serial string) error {
			_, err := w.keys.Reset(t.Context(), a, scope(t, a), serial, "")
			return err
		},
	}
	order := []string{"secrets", "rotation", "enrolled", "sign", "reset"}
	manager := map[string]fault.Code{"enrolled": fault.Conflict, "sign": fault.PermissionDenied}
	for _, status := range []hwkey.Status{hwkey.Assigned, hwkey.Suspended, hwkey.Lost, hwkey.Retired} {
		serial := "key-" + string(status)
		w.register(t, serial, &w.alex)
		_, err := w.keys.Update(t.Context(), w.manager, scope(t, w.manager), serial, hwkey.Patch{Status: &status})
		must(t, err)
		for _, deed := range order {
			want := fault.PermissionDenied
			if status == hwkey.Assigned {
				want = ""
			}
			if deed != "enrolled" || status != hwkey.Assigned { // a rotation is open
				code(t, string(status)+", the owner: "+deed, deeds[deed](w.alex, serial), want)
			}
		}
		if status == hwkey.Assigned {
			continue
		}
		for _, deed := range order {
			code(t, string(status)+", a manager: "+deed, deeds[deed](w.manager, serial), manager[deed])
		}
		d, err := w.keys.Get(t.Context(), access.All(), serial)
		must(t, err)
		if d.Status != hwkey.Assigned || d.EnrolledAt != nil {
			t.Errorf("%s, and reset: %s", status, d.Status)
		}
	}
	w.register(t, "key-stock", nil)
	code(t, "a token without owner", deeds["sign"](w.manager, "key-stock"), fault.Conflict)
}
