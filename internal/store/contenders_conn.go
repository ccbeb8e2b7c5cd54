package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// connect takes a connection out of the pool; here ctx counts.
func (c *contenders) connect(ctx context.Context) (*sql.Conn, error) {
	bounded, cancel := context.WithTimeoutCause(ctx, c.server.patience(), errNoAnswer)
	defer cancel()
	conn, err := c.pool.Conn(bounded)
	switch {
	case err == nil:
		return conn, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case bounded.Err() != nil:
		return nil, fmt.Errorf("%w, or every connection is in use: %w", errNoAnswer, err)
	}
	return nil, err
}

// forget closes the connections that nobody uses: after one broke, the others
// are likely to be broken too, or to lead to a server that is no primary.
func (c *contenders) forget() {
	for pool, size := range c.pools {
		pool.SetMaxIdleConns(0)
		pool.SetMaxIdleConns(size)
	}
}

// readOnlyConnect marks the refusal of a server that is no primary.
func readOnlyConnect(err error) error {
	if errors.Is(err, pgconn.ErrReadOnlyConnection) || errors.Is(err, pgconn.ErrStandbyConnection) {
		return fmt.Errorf("%w: %w", errReadOnly, err)
	}
	return err
}

// excludeOthers waits until no other transaction writes, and lets none begin.
// It comes before the transaction, whose view of the data would otherwise be
// that of before the wait.
func excludeOthers(ctx context.Context, conn *sql.Conn) error {
	_, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", int64(lockWriting))
	return err
}

func admitOthers(ctx context.Context, conn *sql.Conn) error {
	_, err := conn.ExecContext(ctx, "SELECT pg_advisory_unlock($1)", int64(lockWriting))
	return err
}

// command runs a command of transactions and returns what the server says that
// it did.
func command(ctx context.Context, conn *sql.Conn, text string) (tag string, err error) {
	err = conn.Raw(func(raw any) error {
		l, ok := raw.(*link)
		if !ok {
			return fmt.Errorf("store: a connection of type %T", raw)
		}
		bounded, cancel := l.bound(ctx)
		defer cancel()
		done, err := l.Conn.Conn().Exec(bounded, text, pgx.QueryExecModeSimpleProtocol)
		tag = done.String()
		return l.explain(ctx, bounded, err)
	})
	return tag, err
}
