package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/keyward/keyward/internal/access"
)

var (
	// errLost: the connection broke before the COMMIT was sent. The server rolls the transaction
	// back.
	errLost = errors.New("store: the connection to the database broke")
	// errUnknown: it broke during the COMMIT, and the outcome cannot be determined.
	errUnknown = errors.New("store: the connection to the database broke during the commit, and its outcome is not known")
)

// lost marks an error that ended the connection.
func lost(ctx context.Context, err error) error {
	if broken(err) || ctx.Err() != nil {
		return fmt.Errorf("%w: %w", errLost, err)
	}
	return err
}

// identity identifies a transaction on its server.
type identity struct {
	xid     string // pg_current_xact_id()
	history string // the only one in which xid means this transaction
}

// history changes with a failover (the log's timeline), with each start of the server, and with
// each crash recovery, even of a single process: that resets the statistics. A crash forgets the
// numbers that no log on disk had yet, and the server assigns them again.
const history = `substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8) || ' ' || pg_postmaster_start_time()::text || ' ' ||
	COALESCE((SELECT stats_reset::text FROM pg_stat_bgwriter), '')`

// begin begins a transaction, takes its share of the write lock, and checks the actor, if there is
// one. id is set once it has begun.
func (t *try) begin(ctx context.Context, conn *sql.Conn, actor *access.Admission) (id identity, err error) {
	list := []statement{
		{text: "BEGIN ISOLATION LEVEL SERIALIZABLE"},
		{text: `SELECT current_setting('transaction_read_only') = 'on', pg_current_xact_id()::text, ` + history + `,
			pg_advisory_xact_lock_shared($1)::text`, args: []any{int64(lockWriting)}, scan: func(row scanner) error {
			var readOnly bool
			var begun identity
			err := row.Scan(&readOnly, &begun.xid, &begun.history, new(string))
			switch {
			case err != nil:
				return err
			case readOnly:
				return errReadOnly
			}
			id = begun
			return nil
		}},
	}
	if actor != nil {
		c := checkOf(actor)
		list = append(list, statement{(&tx{others: true}).keeping(c.query, c.tables...), []any{c.number}, func(row scanner) error {
			return c.judge(row, t.now())
		}})
	}
	_, err = pipeline(ctx, conn, list...)
	// A standby has no such transactions.
	if state, _ := sqlState(err); id == (identity{}) && (state == "0A000" || state == "25006") {
		err = fmt.Errorf("%w: %w", errReadOnly, err)
	}
	return id, err
}

// outcome finds out, over another connection, what became of a transaction whose connection broke
// during the COMMIT, or which the server committed with a warning: nil if it happened, errLost if
// not, errUnknown if that cannot be determined.
func (t *try) outcome(ctx context.Context, id identity, cause error) error {
	ctx, cancel := context.WithDeadline(context.WithoutCancel(ctx), earlier(time.Now().Add(t.settle), t.end))
	defer cancel()
	for {
		status, err := t.status(ctx, id)
		switch {
		case err == nil && status == "committed":
			return nil
		case err == nil && status == "aborted":
			return fmt.Errorf("%w: %w", errLost, cause)
		case err == nil && status == "":
			return fmt.Errorf("%w: %w", errUnknown, cause)
		}
		// In progress: the server has not noticed yet. Or it is away.
		if pauseErr := pause(ctx, 8); pauseErr != nil {
			return errors.Join(fmt.Errorf("%w: %w", errUnknown, cause), err)
		}
	}
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// status is committed, aborted, "in progress", or empty if this server cannot tell: it forgot, or
// has another history, in which the number may be another transaction's. What is committed has
// reached the standbys.
func (c *serializable) status(ctx context.Context, id identity) (status string, err error) {
	conn, err := c.pool.Conn(ctx)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	var present string
	err = conn.QueryRowContext(ctx, "SELECT "+history).Scan(&present)
	if err != nil || present != id.history {
		return "", err
	}
	err = conn.QueryRowContext(ctx, "SELECT COALESCE(pg_xact_status($1::xid8), '')", id.xid).Scan(&status)
	if err == nil && status == "committed" {
		err = replicated(ctx, conn)
	}
	return status, err
}

// replicated returns once the synchronous standbys have all that was committed before. A COMMIT
// that waits for them is cancelled when its client goes, or by administrators: the change is then
// committed on this server alone. Standbys receive the log in order, so committing anything that is
// logged waits for that, too.
func replicated(ctx context.Context, conn *sql.Conn) error {
	done, err := pipeline(ctx, conn, statement{text: "SELECT pg_logical_emit_message(TRUE, 'keyward', '')"})
	if err == nil {
		err = done.warning
	}
	return err
}
