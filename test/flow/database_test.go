package flow_test

import (
	"context"
	"database/sql"
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
		_, serial := w.token(t, current)
		conn, err := other.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		o := w.at(0, serial)
		locks := &lockAt{at: at, conn: conn, t: t}
		o.Backend = cutBackend{o.Backend, &gate{around: locks.around}}
		_, err = flow.Enroll(t.Context(), o)
		if closeErr := conn.Close(); closeErr != nil {
			t.Fatal(closeErr)
		}
		if err != nil {
			stopped++
			if !fault.Is(err, fault.DatabaseUnavailable) {
				t.Errorf("step %d: %v", at, err)
			}
			if _, err := flow.Enroll(t.Context(), w.at(1, serial)); err != nil {
				t.Fatalf("step %d, running it again: %v", at, err)
			}
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

// lockAt holds the database's write lock during one interaction.
type lockAt struct {
	t     *testing.T
	conn  *sql.Conn
	at, n int
}

func (l *lockAt) around(do func() error) error {
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
