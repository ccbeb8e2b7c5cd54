package flow_test

import (
	"context"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/client/flow"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/test/engine"
)

// TestStaleSessionEnrols: an hour after the sign-in, a token with a valid attestation
// is enrolled without a question. Without one, enrolment requires the password, and
// stops if nobody can type it; the next attempt keeps and certifies the key that it
// generated.
func TestStaleSessionEnrols(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.desks["first"]
	_, err := flow.Enroll(t.Context(), flow.Options{Backend: d.backend, Agent: d.agent, Serial: w.token(t, start{}).serial})
	must(t, err) // the agent is known from now on
	for _, c := range []struct {
		stranger, person bool
		asked            int
		want             fault.Code
	}{
		{false, false, 0, ""}, {true, false, 0, fault.ReauthenticationRequired}, {true, true, 1, ""},
	} {
		engine.Execute(t, w.service.dir, "UPDATE sessions SET authenticated_at = authenticated_at - ?", time.Hour.Microseconds())
		serial := w.token(t, start{Stranger: c.stranger}).serial
		asked := 0
		options := flow.Options{Backend: d.backend, Agent: d.agent, Serial: serial}
		if c.person {
			options.Reauthenticate = func(ctx context.Context) error {
				asked++
				return d.backend.Reauthenticate(ctx, secret.New(ownerPassword))
			}
		}
		if _, err := flow.Enroll(t.Context(), options); fault.CodeOf(err) != c.want || asked != c.asked {
			t.Errorf("%+v: asked %d times, %v", c, asked, err)
		}
		if c.want == "" {
			w.checkSecrets(t, serial)
			w.checkSlot(t, serial)
			continue
		}
		must(t, d.backend.Reauthenticate(t.Context(), secret.New(ownerPassword)))
		result, err := flow.Enroll(t.Context(), options)
		must(t, err)
		if !result.Resumed {
			t.Error("the next attempt made another key")
		}
		w.checkSlot(t, serial)
	}
}
