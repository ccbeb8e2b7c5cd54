package flow_test

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"github.com/keyward/keyward/internal/client/flow"
	"github.com/keyward/keyward/internal/fault"
)

// TestDatabaseLocked: while somebody else holds the database, a flow stops
// with database_unavailable at each step that writes; afterwards it goes on.
func TestDatabaseLocked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 20*time.Millisecond)
	other, err := sql.Open("sqlite", w.service.database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Close() })
	stopped := 0
	for at := 0; ; at++ {
		serial := w.token(t, start{}).serial
		conn, err := other.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		locks := &lockAt{at: at, conn: conn, t: t}
		d := w.desks["first"]
		_, err = flow.Enroll(through(t.Context(), &gate{around: locks.around}), flow.Options{Backend: d.backend, Agent: d.agent, Serial: serial})
		if closeErr := conn.Close(); closeErr != nil {
			t.Fatal(closeErr)
		}
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
	conn  *sql.Conn
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
	if _, err := l.conn.ExecContext(l.t.Context(), "BEGIN IMMEDIATE"); err != nil {
		l.t.Fatal(err)
	}
	defer func() {
		if _, err := l.conn.ExecContext(context.WithoutCancel(l.t.Context()), "ROLLBACK"); err != nil {
			l.t.Error(err)
		}
	}()
	return do()
}
