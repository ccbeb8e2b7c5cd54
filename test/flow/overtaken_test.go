package flow_test

import (
	"context"
	"testing"

	"github.com/keyward/keyward/internal/client"
	"github.com/keyward/keyward/internal/client/flow"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
)

// overtaken is a backend whose person is overtaken by somebody else right
// after reading the secrets.
type overtaken struct {
	flow.Backend
	by func()
}

func (o *overtaken) Secrets(ctx context.Context, serial string, r client.Release) (client.Secrets, error) {
	s, err := o.Backend.Secrets(ctx, serial, r)
	if by := o.by; by != nil {
		o.by = nil
		by()
	}
	return s, err
}

// testOvertaken: the card holds none of the values that were read before
// somebody else changed it. That is no unknown card, and no observation.
func testOvertaken(t *testing.T, w *world) {
	_, serial := w.enrolled(t)
	o := w.at(0, serial)
	o.Backend = &overtaken{o.Backend, func() {
		if err := w.changePIN(t, serial); err != nil {
			t.Error(err)
		}
	}}
	_, err := flow.ChangePIN(t.Context(), o, secret.New(chosenPIN))
	want(t, err, flow.Changed)
	w.checkSecrets(t, serial)
	r, err := flow.ChangePIN(t.Context(), o, secret.New(chosenPIN))
	must(t, r, err)
	if h := w.checkSecrets(t, serial); h.current[piv.PIN].Reveal() != chosenPIN {
		t.Error("the PIN is not the chosen one")
	}
}
