package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// connect takes a connection from the pool; here ctx counts.
func (c *serializable) connect(ctx context.Context) (*sql.Conn, error) {
	bounded, cancel := context.WithTimeoutCause(ctx, c.server.patience(), errNoAnswer)
	defer cancel()
	conn, err := inLine{c.pool}.Conn(bounded)
	switch {
	case err == nil:
		return conn, nil
	case errors.Is(context.Cause(bounded), errNoAnswer):
		return nil, fmt.Errorf("%w, or every connection is in use: %w", errNoAnswer, err)
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	return nil, err
}

// readOnlyConnect marks the refusal of a server that is not the primary.
func readOnlyConnect(err error) error {
	if errors.Is(err, pgconn.ErrReadOnlyConnection) || errors.Is(err, pgconn.ErrStandbyConnection) {
		return fmt.Errorf("%w: %w", errReadOnly, err)
	}
	return err
}

// excludeOthers waits until no other transaction writes, and lets none begin, unless that takes too
// long: alone is then false. It comes before the transaction, whose snapshot would otherwise
// predate the wait.
func (t *try) excludeOthers(ctx context.Context, conn *sql.Conn) (alone bool, err error) {
	if err := lockTimeout(ctx, conn, t.alone); err != nil {
		return false, err
	}
	_, err = conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", int64(lockWriting))
	if err != nil && !waited(err) {
		return false, err
	}
	return err == nil, lockTimeout(ctx, conn, t.server.LockTimeout)
}

func lockTimeout(ctx context.Context, conn *sql.Conn, d time.Duration) error {
	_, err := conn.ExecContext(ctx, "SELECT set_config('lock_timeout', $1, FALSE)", milliseconds(d))
	return err
}

func admitOthers(ctx context.Context, conn *sql.Conn) error {
	_, err := conn.ExecContext(ctx, "SELECT pg_advisory_unlock($1)", int64(lockWriting))
	return err
}
