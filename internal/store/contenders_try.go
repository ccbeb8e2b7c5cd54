package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/store/sqlcgen"
)

// try is one transaction of a write.
type try struct {
	*contenders

	alone    time.Duration // how long it waits until no other writes; zero: it contends
	wasAlone bool          // no other wrote meanwhile
	end      time.Time     // of the whole write
}

// run runs fn in one transaction. A statement outlasts ctx: one that is
// interrupted would leave its outcome open.
func (t *try) run(ctx context.Context, fn func(context.Context, *tx) error) (err error) {
	conn, err := t.connect(ctx)
	if err != nil {
		return err
	}
	bounded, cancel := context.WithDeadlineCause(context.WithoutCancel(ctx), t.end.Add(-t.settle), errNoAnswer)
	defer cancel()
	over := false // the connection is as it was before
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
	id, err := begin(bounded, conn)
	if err != nil {
		return lost(bounded, err)
	}
	st := unprepared(conn)
	if err := fn(bounded, &tx{q: sqlcgen.New(st), sql: st, now: t.now, others: true}); err != nil {
		_, undo := command(bounded, conn, "ROLLBACK")
		over = undo == nil
		return lost(bounded, err)
	}
	done, err := command(bounded, conn, "COMMIT")
	switch state, told := sqlState(err); {
	case err == nil && done.tag != "COMMIT":
		over = true
		return errUndone
	case err == nil && done.warning == nil:
		over = true
		return nil
	case err == nil:
		err = done.warning
	case told && strings.HasPrefix(state, "40"), told && strings.HasPrefix(state, "23"): // refused
		over = true
		return err
	}
	// Others that broke with it ask over the same pool; and a server that was
	// never sent the COMMIT goes back when the session ends.
	drop(conn)
	return t.outcome(ctx, id, err)
}

// drop ends a connection that is not to be used again.
func drop(conn *sql.Conn) {
	_ = conn.Raw(func(any) error { return driver.ErrBadConn })
	_ = conn.Close()
}
