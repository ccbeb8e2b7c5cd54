package flow_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/client/flow"
	"github.com/keyward/keyward/test/engine"
)

// TestSessionRunsOut: when the session's hour ends before any call of a flow, the flow
// continues in the next session, in which it registers its agent again. The access
// token would still be valid.
func TestSessionRunsOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for at := 0; ; at++ {
		serial := w.token(t, start{}).serial
		d := w.desks["first"]
		ended := d.backend.SessionID()
		n := 0
		expire := func(name string, do func() error) error {
			if !slices.Contains([]string{"hwkey", "session", "certificates"}, strings.Split(name, "/")[0]) {
				return do() // a call of the agent
			}
			if n == at {
				engine.Execute(t, w.service.dir,
					"UPDATE sessions SET expires_at = created_at + 1, over_at = created_at + 1 WHERE id = ?", ended)
			}
			n++
			return do()
		}
		_, err := flow.Enroll(through(t.Context(), &gate{around: expire}), flow.Options{Backend: d.backend, Agent: d.agent, Serial: serial})
		if err != nil {
			t.Fatalf("the session ended before call %d: %v", at, err)
		}
		w.checkSecrets(t, serial)
		w.checkSlot(t, serial)
		if n <= at {
			if at < 10 {
				t.Errorf("a flow has only %d calls", n)
			}
			return
		}
		if d.backend.SessionID() == ended {
			t.Errorf("before call %d: the ended session goes on", at)
		}
	}
}
