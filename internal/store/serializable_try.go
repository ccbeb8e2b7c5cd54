package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/store/sqlcgen"
)

// try is one transaction of a write.
type try struct {
	*serializable

	alone    time.Duration // how long to wait until no other writes; zero: it contends
	wasAlone bool          // no other wrote meanwhile
	end      time.Time     // of the whole write
}

// run runs fn in one transaction. Statements ignore ctx: interrupting one would leave its outcome
// open.
func (t *try) run(ctx context.Context, actor *access.Admission, fn func(context.Context, *tx) error) (err error) {
	conn, err := t.connect(ctx)
	if err != nil {
		return err
	}
	bounded, cancel := context.WithDeadlineCause(context.WithoutCancel(ctx), t.end.Add(-t.settle), errNoAnswer)
	defer cancel()
	over := false // the connection may be reused
	defer func() {
		if !over {
			drop(conn)
		}
		_ = conn.Close()
	}()
	if t.alone > 0 {
		if t.wasAlone, err = t.excludeOthers(bounded, conn); err != nil {
			return lost(bounded, err)
		}
	}
	if t.wasAlone {
		defer func() { over = over && admitOthers(bounded, conn) == nil }()
	}
	id, err := t.begin(bounded, conn, actor)
	if err != nil && id == (identity{}) {
		return lost(bounded, err)
	}
	st := unprepared(onPostgres, conn)
	x := &tx{q: sqlcgen.New(st), sql: st, now: t.now, others: true}
	if err == nil {
		err = fn(bounded, x)
	}
	if err == nil {
		var open, known bool
		if open, known, err = commit(bounded, conn, x.logging()); !open {
			over = known
			if known {
				return err
			}
			// Other broken transactions use the same pool; and if the COMMIT was never sent, the
			// server rolls back when the session ends.
			drop(conn)
			return t.outcome(ctx, id, err)
		}
	}
	_, undo := pipeline(bounded, conn, statement{text: "ROLLBACK"})
	over = undo == nil
	return lost(bounded, err)
}

// commit writes the last statements of a transaction and commits it. The transaction is still open
// if the server refused something before the COMMIT, which it then skips; if not, err is the
// outcome, if that is known.
func commit(ctx context.Context, conn *sql.Conn, last []statement) (open, known bool, err error) {
	done, err := pipeline(ctx, conn, append(last, statement{text: "COMMIT"})...)
	state, told := sqlState(err)
	switch {
	case told && state == "25P02": // fn ignored an error
		return true, true, fmt.Errorf("%w: %w", errUndone, err)
	case told && done.done < len(last):
		return true, true, err
	case err == nil && done.tag != "COMMIT":
		return false, true, errUndone
	case err == nil && done.warning == nil:
		return false, true, nil
	case err == nil:
		return false, false, done.warning
	}
	// Conflicts and violated constraints undo it; after anything else the outcome is unknown.
	return false, told && (strings.HasPrefix(state, "40") || strings.HasPrefix(state, "23")), err
}

// drop closes a connection that must not be reused.
func drop(conn *sql.Conn) {
	_ = conn.Raw(func(any) error { return driver.ErrBadConn })
	_ = conn.Close()
}
