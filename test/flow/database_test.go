//go:build exhaustive

package flow_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/client/flow"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/test/engine"
)

// TestDatabaseLocked: while somebody else holds the database, a flow stops
// with database_unavailable at each step that writes; afterwards it goes on.
func TestDatabaseLocked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chosen(t), 20*time.Millisecond)
	stopped := 0
	for at := 0; ; at++ {
		serial := w.token(t, start{}).serial
		locks := &lockAt{t: t, dir: w.service.dir, at: at}
		d := w.desks["first"]
		_, err := flow.Enroll(through(t.Context(), &gate{around: locks.around}), flow.Options{Backend: d.backend, Agent: d.agent, Serial: serial})
		if err != nil {
			stopped++
			if !fault.Is(err, fault.DatabaseUnavailable) {
				t.Errorf("step %d: %v", at, err)
			}
			step{}.check(t, commandLine{w.desks}.run(t, "second", attempt{Flow: "enroll", Serial: serial}, func() {}))
		}
		w.checkSecrets(t, serial)
		w.checkSlot(t, serial)
		if locks.n <= at {
			break
		}
	}
	if stopped < 5 {
		t.Errorf("only %d steps noticed the lock", stopped)
	}
}

// lockAt holds the database's write lock during one call of the server.
type lockAt struct {
	t     *testing.T
	dir   string
	at, n int
}

func (l *lockAt) around(name string, do func() error) error {
	if agents := !slices.Contains([]string{"hwkey", "session", "certificates"}, strings.Split(name, "/")[0]); agents {
		return do()
	}
	here := l.n == l.at
	l.n++
	if !here {
		return do()
	}
	release := engine.Hold(l.t, l.dir)
	defer release()
	return do()
}
