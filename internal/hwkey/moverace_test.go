package hwkey_test

import (
	"testing"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/custody"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/piv"
)

// TestMoveRacesChange: someone changes the token between a move in the vault and the
// update of its row, which must respect that change.
func TestMoveRacesChange(t *testing.T) {
	t.Parallel()
	patch := func(w *world, p hwkey.Patch) error {
		_, err := w.keys.Update(t.Context(), w.manager, access.All(), "key-1", p)
		return err
	}
	enrol := func(w *world) error {
		_, err := w.keys.Enrolled(t.Context(), w.alex, scope(t, w.alex), "key-1", "")
		return err
	}
	reset := func(w *world) error {
		_, err := w.keys.Reset(t.Context(), w.manager, scope(t, w.manager), "key-1", "")
		return err
	}
	takeBack := func(w *world) error {
		_, err := w.keys.TakeBack(t.Context(), w.manager, scope(t, w.manager), "key-1", "")
		return err
	}
	observe := func(w *world) error {
		_, err := w.keys.Observe(t.Context(), w.alex, scope(t, w.alex), "key-1",
			hwkey.Observation{Field: piv.PIN, Matched: custody.NoMatch})
		return err
	}
	lost := func(w *world) error { s := hwkey.Lost; return patch(w, hwkey.Patch{Status: &s}) }
	moved := func(w *world) error { id := &w.amy.UserID; return patch(w, hwkey.Patch{OwnerID: &id}) }
	for name, c := range map[string]struct {
		move, meanwhile func(*world) error
		want            fault.Code
		status          hwkey.Status
		enrolled        bool
	}{
		"enrolled, reset":        {enrol, reset, fault.Conflict, hwkey.Assigned, false},
		"enrolled, lost":         {enrol, lost, fault.PermissionDenied, hwkey.Lost, false},
		"enrolled, other owner":  {enrol, moved, fault.Conflict, hwkey.Assigned, false},
		"enrolled twice at once": {enrol, enrol, "", hwkey.Active, true},
		"reset, lost":            {reset, lost, fault.Conflict, hwkey.Lost, false},
		"reset, other owner":     {reset, moved, fault.Conflict, hwkey.Assigned, false},
		"taken back, lost":       {takeBack, lost, fault.Conflict, hwkey.Lost, false},
		"taken back, moved on":   {takeBack, moved, fault.Conflict, hwkey.Assigned, false},
		"taken back twice":       {takeBack, takeBack, fault.Conflict, hwkey.InStock, false},
		"observed twice at once": {observe, observe, "", hwkey.Assigned, false},
		"observed, lost":         {observe, lost, "", hwkey.Lost, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			w.register(t, "key-1", &w.alex)
			meanwhile := func() { must(t, c.meanwhile(w)) }
			w.kv.then.Store(&meanwhile)
			code(t, "the move", c.move(w), c.want)
			if w.kv.then.Load() != nil {
				t.Fatal("the move wrote nothing: the test tests nothing")
			}
			d, err := w.keys.Get(t.Context(), access.All(), "key-1")
			must(t, err)
			if d.Status != c.status || (d.EnrolledAt != nil) != c.enrolled {
				t.Errorf("the token is %s, enrolled %v", d.Status, d.EnrolledAt)
			}
			state, err := w.keys.Custody.Load(t.Context(), "key-1")
			must(t, err)
			if c.want == "" && state.Version != d.SecretsVersion {
				t.Errorf("the row shows version %d, the vault holds %d", d.SecretsVersion, state.Version)
			}
		})
	}
}
